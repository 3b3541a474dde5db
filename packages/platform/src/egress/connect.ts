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
import type { AddressPolicy, Consent, Decision } from "./address-policy.js";
import { describeFailure } from "./describe-failure.js";
import type { Lookup, ResolvedAddress } from "./resolve.js";

export interface GuardOptions {
  policy: AddressPolicy;
  lookup: Lookup;
  /** Milliseconds from the DNS lookup to the end of the TLS handshake. */
  connectTimeoutMs: number;
  /** Certificates (PEM) to trust besides the default ones. */
  extraCa: string[];
}

const sessionsKept = 256;

/**
 * A connector for undici that checks every connection itself: the literal address or every address of the name before connecting, and the
 * peer afterwards. The socket is opened to addresses that were checked, never to the name, so a second DNS answer changes nothing. A name
 * is refused as soon as one of its addresses is: an answer that mixes public and private addresses is a fault or an attack, and which
 * address gets used is luck.
 */
export function createConnector(guard: GuardOptions, isConsented: boolean): buildConnector.connector {
  const sessions = new LRUCache<string, Buffer>({ max: sessionsKept });
  const secureContext = trust(guard);
  return (target, callback) => new Opening({ guard, sessions, secureContext }, target, isConsented, callback).begin();
}

interface Means {
  guard: GuardOptions;
  /** TLS sessions by host and port, to be resumed. */
  sessions: LRUCache<string, Buffer>;
  secureContext: SecureContext;
}

type Target = Parameters<buildConnector.connector>[0];

/** One connection, from the DNS lookup to the end of its handshake. */
class Opening {
  readonly #host: string;
  readonly #isTls: boolean;
  readonly #port: number;
  readonly #consent: Consent | null;
  readonly #timer: NodeJS.Timeout;
  readonly #lookupStop = new AbortController();
  #socket: Socket | TLSSocket | null = null;
  #isSettled = false;

  constructor(
    private readonly means: Means,
    private readonly target: Target,
    isConsented: boolean,
    private readonly callback: buildConnector.Callback,
  ) {
    this.#host = target.hostname;
    this.#isTls = target.protocol === "https:";
    this.#port = target.port === "" ? (this.#isTls ? 443 : 80) : Number(target.port);
    this.#consent = isConsented ? { host: this.#host, port: this.#port } : null;
    this.#timer = setTimeout(() => this.#expire(), means.guard.connectTimeoutMs);
  }

  begin(): void {
    const host = this.#host;
    const family = isIP(host);
    if (family !== 0) return this.#open([{ address: host, family: family === 6 ? 6 : 4 }]);
    this.means.guard.lookup(host, { signal: this.#lookupStop.signal }).then(
      (found) => (found.length > 0 ? this.#open(found) : this.#fail(describeFailure(null, host, "lookup"))),
      (error: unknown) => this.#fail(describeFailure(error, host, "lookup")),
    );
  }

  #open(addresses: ResolvedAddress[]): void {
    if (this.#isSettled) return;
    const refusal = addresses.map(({ address }) => this.#decide(address)).find((decision) => !decision.allowed);
    if (refusal !== undefined && !refusal.allowed) return this.#fail(new AppError("address_refused", refusal.reason));
    const opened = this.#connect(addresses);
    this.#socket = opened;
    opened.setNoDelay(true);
    opened.setKeepAlive(true, 60_000);
    opened.once("connect", () => this.#checkPeer(opened));
    if (this.#isTls) opened.on("session", (session: Buffer) => this.means.sessions.set(this.#sessionKey, session));
    opened.once(this.#isTls ? "secureConnect" : "connect", () => {
      if (!this.#settle()) return;
      this.callback(null, opened);
    });
    opened.on("error", (error) => this.#fail(describeFailure(error, this.#shownHost, "connect")));
  }

  #connect(addresses: ResolvedAddress[]): Socket | TLSSocket {
    const pinned = pinTo(this.#host, this.#port, addresses);
    if (!this.#isTls) return connectTcp(pinned);
    return connectTls({
      ...pinned,
      servername: isIP(this.#host) === 0 ? this.#host.replace(/\.$/, "") : "",
      session: this.means.sessions.get(this.#sessionKey),
      ALPNProtocols: ["http/1.1"],
      secureContext: this.means.secureContext,
    });
  }

  #checkPeer(opened: Socket): void {
    const peer = opened.remoteAddress ?? "";
    if (opened.destroyed || this.#decide(peer).allowed) return;
    this.#fail(
      new AppError(
        "address_refused",
        `The host ${this.#host} was refused: the connection ended up at ${peer === "" ? "an unknown address" : peer}, which may not be fetched.`,
      ),
    );
  }

  #decide(address: string): Decision {
    return this.means.guard.policy.decide({ host: this.#host, address, port: this.#port, consent: this.#consent });
  }

  #expire(): void {
    this.#fail(
      new AppError(
        "timed_out",
        `The server ${this.#shownHost} did not accept a connection within ${this.means.guard.connectTimeoutMs / 1000} s. Check that it is running and that its firewall allows this machine.`,
      ),
    );
  }

  #fail(error: AppError): void {
    if (!this.#settle()) return;
    this.#lookupStop.abort();
    this.#socket?.destroy();
    this.callback(error, null);
  }

  /** @returns whether this call settled the opening: false when the callback was already called */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    return true;
  }

  get #sessionKey(): string {
    return `${this.#host}:${this.#port}`;
  }

  get #shownHost(): string {
    return this.target.host ?? this.#host;
  }
}

/** Options that connect to the checked addresses only, and try the other family when the first does not answer (RFC 8305). */
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
