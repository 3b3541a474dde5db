import { isIP } from "node:net";
import type { Readable } from "node:stream";
import { Agent } from "undici";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { type AddressPolicy, type Consent, isConsented, portOf } from "./address-policy.js";
import { createConnector } from "./connect.js";
import { describeFailure } from "./describe-failure.js";
import { type EgressResponse, createHop } from "./hop.js";
import { readInParts } from "./read-in-parts.js";
import { askerOf, createNames, type Names } from "./names.js";
import type { Lookup } from "./resolve.js";

export interface EgressRequest {
  /** http: or https:, without user name and password. */
  url: URL;
  /** Default GET. */
  method?: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** The private address that the test object's own URL allows; null or absent: public addresses only. */
  consent?: Consent | null;
  /** Ends the request and its body. An AppError as its reason is what the caller gets, anything else becomes `cancelled`. */
  signal?: AbortSignal;
  /** Time from now to the last byte of the body, default 30 s; null: only the signal ends it. */
  deadlineMs?: number | null;
}

export interface EgressOptions {
  /** Default: a resolver of its own (`createNames`). The parts of one process share one. */
  names?: Names;
  /** Replaces `names`: called as each connection is opened. */
  lookup?: Lookup;
  /** Looking up, connecting and the TLS handshake together, default 10 s. */
  connectTimeoutMs?: number;
  /** Certificates (PEM) to trust beside the usual ones. */
  extraCa?: string[];
}

export interface Egress {
  /**
   * Sends one request and resolves when the headers of its answer are there; redirects are answers.
   * @throws AppError address_refused, dns_failed, connection_failed, tls_failed, timed_out, protocol_error, too_large (headers), cancelled
   * or invalid_input; `retryable` tells whether trying again can help. The body ends with body_cut_off where the connection did.
   */
  request(request: EgressRequest): Promise<EgressResponse>;
  /** Ends every request and closes every connection. */
  close(): Promise<void>;
}

const discardMaxBytes = 32 * 1024;
const discardMaxMs = 1_000;

/** The only way out: every request to a monitored site goes through one of these, so that its policy sees each connection. */
export function createEgress(policy: AddressPolicy, options: EgressOptions = {}): Egress {
  // the name is looked up before the request waits for its connection, in the turn of its object; the connection then finds the answer remembered
  const names = options.lookup === undefined ? (options.names ?? createNames()) : null;
  const guard = {
    policy,
    lookup: options.lookup ?? names?.lookup ?? createNames().lookup,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    extraCa: options.extraCa ?? [],
  };
  // One agent for consented destinations and one for all others: a connection opened by consent is never used without it.
  const openAgent = (consented: boolean) =>
    new Agent({
      connect: readInParts(createConnector(guard, consented)),
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: budgets.headersMaxBytes,
      keepAliveTimeout: 10_000,
      keepAliveMaxTimeout: 30_000,
      headersTimeout: 0, // one total deadline instead: these two start anew with every drip
      bodyTimeout: 0,
    });
  const publicAgent = openAgent(false);
  const consentedAgent = openAgent(true);

  function request(wanted: EgressRequest): Promise<EgressResponse> {
    return new Promise((resolve, reject) => {
      const { url, signal } = wanted;
      const refusal = refuse(url);
      if (refusal !== null) return reject(refusal);
      const agent = isConsented(url.hostname, portOf(url), wanted.consent ?? null) ? consentedAgent : publicAgent;
      const deadlineMs = wanted.deadlineMs === undefined ? budgets.httpDeadlineMs : wanted.deadlineMs;
      const method = wanted.method ?? "GET";
      const dispatched = {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: wanted.headers,
        body: wanted.body ?? null,
      };
      let repeatsLeft = method === "GET" || method === "HEAD" ? 1 : 0;

      const cancel = () =>
        hop.abort(
          signal?.reason instanceof AppError
            ? signal.reason
            : new AppError("cancelled", `The request to ${url.host} was cancelled.`),
        );
      const expire = () =>
        hop.abort(
          new AppError(
            "timed_out",
            `The server ${url.host} did not finish its answer within ${(deadlineMs ?? 0) / 1000} s. Try again; if it happens every time, the server is too slow.`,
          ),
        );
      const timer = deadlineMs === null ? null : setTimeout(expire, deadlineMs);
      const lookupStop = new AbortController();
      let isLookingUp = false;
      const release = () => {
        // for nobody an abort still makes an error with its stack
        if (isLookingUp) lookupStop.abort();
        if (timer !== null) clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
      };

      const failed = (error: AppError, mayRepeat: boolean) => {
        if (!mayRepeat || repeatsLeft === 0) {
          release();
          return reject(error);
        }
        repeatsLeft -= 1;
        hop = open();
        send();
      };
      let isAnswered = false;
      const answered = (response: EgressResponse) => {
        isAnswered = true;
        resolve(response);
      };
      const open = () =>
        createHop(url.host, { answered, failed }, () => {
          if (isAnswered) release();
        });
      const send = () => {
        try {
          agent.dispatch(dispatched, hop);
        } catch (error) {
          release();
          reject(describeFailure(error, url.host, "headers"));
        }
      };

      let hop = open();
      signal?.addEventListener("abort", cancel, { once: true });
      if (signal?.aborted === true) return cancel();
      if (names === null || isIP(bareHost(url)) !== 0) return send();
      const asked = { owner: askerOf(wanted.consent, url.hostname), signal: lookupStop.signal };
      isLookingUp = true;
      names.lookup(url.hostname, asked).then(
        () => {
          isLookingUp = false;
          if (!lookupStop.signal.aborted) send();
        },
        (error: unknown) => hop.abort(describeFailure(error, url.host, "lookup")),
      );
    });
  }

  async function close(): Promise<void> {
    await Promise.all([publicAgent.destroy(), consentedAgent.destroy()]);
  }

  return { request, close };
}

/**
 * Reads a body to its end without using it, so that its connection can serve again; closes the connection where the
 * body is long (over 32 KiB) or slow. `contentLength`: as announced, NaN where it was not.
 */
export function discard(body: Readable, contentLength: number): void {
  if (contentLength > discardMaxBytes) {
    body.destroy();
    return;
  }
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), discardMaxMs);
  body.on("close", () => clearTimeout(timer));
  body.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discardMaxBytes) body.destroy();
  });
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

function refuse(url: URL): AppError | null {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return new AppError(
      "address_refused",
      `Addresses that begin with ${url.protocol} are not fetched, only http: and https:.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    return new AppError(
      "invalid_input",
      `The URL of ${url.host} carries a user name or password. Set them under Options instead.`,
    );
  }
  return null;
}
