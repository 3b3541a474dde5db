import { LRUCache } from "lru-cache";
import { isIP, connect as connectTcp, type Socket } from "node:net";
import {
  type SecureContext,
  type TLSSocket,
  connect as connectTls,
  createSecureContext,
  getCACertificates,
} from "node:tls";
import type { buildConnector } from "undici";
import { AppError } from "@web-tester/contracts/errors";
import type { AddressPolicy, Consent } from "./address-policy.js";
import { describeFailure } from "./describe-failure.js";
import type { Lookup, ResolvedAddress } from "./resolve.js";

export interface GuardOptions {
  policy: AddressPolicy;
  lookup: Lookup;
  /** Time from the look-up of the name to the end of the TLS handshake. */
  connectTimeoutMs: number;
  /** Certificates to trust beside the usual ones, PEM. */
  extraCa: string[];
}

const sessionsKept = 256;

/**
 * A connector for undici that decides about every connection itself: the literal address or every address of the name before, the peer after.
 * The socket is opened to addresses that were checked, never to the name, so a second DNS answer changes nothing. A name is refused as soon
 * as one of its addresses is: an answer that mixes public and private addresses is a fault or an attack, and which one gets used is luck.
 */
export function createConnector(guard: GuardOptions, isConsented: boolean): buildConnector.connector {
  const sessions = new LRUCache<string, Buffer>({ max: sessionsKept });
  const secureContext = trust(guard);

  return (target, callback) => {
    const host = target.hostname;
    const isTls = target.protocol === "https:";
    const port = target.port === "" ? (isTls ? 443 : 80) : Number(target.port);
    const consent: Consent | null = isConsented ? { host, port } : null;
    let socket: Socket | TLSSocket | null = null;
    let isSettled = false;
    const lookupStop = new AbortController();

    const fail = (error: AppError) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      lookupStop.abort();
      socket?.destroy();
      callback(error, null);
    };
    const timer = setTimeout(
      () =>
        fail(
          new AppError(
            "timed_out",
            `The server ${target.host ?? host} did not accept a connection within ${guard.connectTimeoutMs / 1000} s. Check that it is up and lets this machine in.`,
          ),
        ),
      guard.connectTimeoutMs,
    );

    const open = (addresses: ResolvedAddress[]) => {
      if (isSettled) return;
      const refusal = addresses
        .map(({ address }) => guard.policy.decide({ host, address, port, consent }))
        .find((decision) => !decision.allowed);
      if (refusal !== undefined && !refusal.allowed) return fail(new AppError("address_refused", refusal.reason));
      const pinned = pinTo(host, port, addresses);
      const sessionKey = `${host}:${port}`;
      const opened = isTls
        ? connectTls({
            ...pinned,
            servername: isIP(host) === 0 ? host.replace(/\.$/, "") : "",
            session: sessions.get(sessionKey),
            ALPNProtocols: ["http/1.1"],
            secureContext,
          })
        : connectTcp(pinned);
      socket = opened;
      opened.setNoDelay(true);
      opened.setKeepAlive(true, 60_000);
      opened.once("connect", () => {
        const peer = opened.remoteAddress ?? "";
        if (opened.destroyed || guard.policy.decide({ host, address: peer, port, consent }).allowed) return;
        fail(
          new AppError(
            "address_refused",
            `The host ${host} was refused: the connection ended up at ${peer === "" ? "an unknown address" : peer}, which may not be fetched.`,
          ),
        );
      });
      if (isTls) {
        opened.on("session", (session: Buffer) => sessions.set(sessionKey, session));
      }
      opened.once(isTls ? "secureConnect" : "connect", () => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        callback(null, opened);
      });
      opened.on("error", (error) => fail(describeFailure(error, target.host ?? host, "connect")));
    };

    const family = isIP(host);
    if (family !== 0) return open([{ address: host, family: family === 6 ? 6 : 4 }]);
    guard.lookup(host, { signal: lookupStop.signal }).then(
      (found) => (found.length > 0 ? open(found) : fail(describeFailure(null, host, "lookup"))),
      (error: unknown) => fail(describeFailure(error, host, "lookup")),
    );
  };
}

/** Options that connect to the checked addresses only, the next family when the first does not answer (RFC 8305). */
function pinTo(host: string, port: number, addresses: ResolvedAddress[]) {
  const [first] = addresses;
  const common = { port, highWaterMark: 64 * 1024 };
  if (addresses.length === 1 && first !== undefined) return { ...common, host: first.address };
  return {
    ...common,
    host,
    autoSelectFamily: true,
    lookup: (_name: string, _options: unknown, answer: (error: null, found: ResolvedAddress[]) => void) =>
      answer(null, addresses),
  };
}

function trust({ extraCa }: GuardOptions): SecureContext {
  return createSecureContext(extraCa.length === 0 ? {} : { ca: [...getCACertificates("default"), ...extraCa] });
}
