import { isIP } from "node:net";
import type { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import { Agent, type Dispatcher } from "undici";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { type AddressPolicy, type Consent, isConsented, portOf } from "./address-policy.js";
import { createConnector, type GuardOptions } from "./connect.js";
import { describeFailure, isOverlookedByBrowsers } from "./describe-failure.js";
import { createHop, type EgressResponse, type Hop } from "./hop.js";
import { LenientDispatcher, type LenientRequest } from "./lenient-dispatcher.js";
import { readInParts } from "./read-in-parts.js";
import { askerOf, createNames, type Names } from "./names.js";
import type { Lookup } from "./resolve.js";

interface EgressRequest {
  /** http: or https:, without user name and password. */
  url: URL;
  /** Default GET. */
  method?: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** The private address that the test object's own URL allows; null or absent: public addresses only. */
  consent?: Consent | null;
  /** Aborts the request and its body. If its reason is an AppError, the caller gets it; any other reason becomes `cancelled`. */
  signal?: AbortSignal;
  /** Milliseconds from now to the last byte of the body, default 30 s; null: only the signal ends the request. */
  deadlineMs?: number | null;
}

export interface EgressOptions {
  /** Default: a new resolver (`createNames`). The parts of one process should share one. */
  names?: Names;
  /** Replaces `names`; called whenever a connection is opened. */
  lookup?: Lookup;
  /** Milliseconds for DNS lookup, connecting and the TLS handshake together, default 10 s. */
  connectTimeoutMs?: number;
  /** Certificates (PEM) to trust besides the default ones. */
  extraCa?: string[];
}

export interface Egress {
  /**
   * Sends one request and resolves when the headers of its answer have arrived; redirects are not followed.
   * @throws AppError address_refused, dns_failed, connection_failed, tls_failed, timed_out, protocol_error, too_large (headers), cancelled
   * or invalid_input; `retryable` tells whether trying again can help. The body fails with body_cut_off when the connection ends too early.
   */
  request(request: EgressRequest): Promise<EgressResponse>;
  /** Aborts every request and closes every connection. */
  close(): Promise<void>;
}

const discardMaxBytes = 32 * 1024;
const discardMaxMs = 1_000;

/** The only way out of the product: every request to a monitored site goes through an egress, so that its policy checks each connection. */
export function createEgress(policy: AddressPolicy, options: EgressOptions = {}): Egress {
  // the name is looked up before the request waits for its connection, in the turn of its object; the connection then finds the answer in the cache
  const names = options.lookup === undefined ? (options.names ?? createNames()) : null;
  const guard = {
    policy,
    lookup: options.lookup ?? names?.lookup ?? createNames().lookup,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    extraCa: options.extraCa ?? [],
  };
  // One set of agents for consented destinations and one for all others: a connection opened by consent is never reused without it.
  const publicAgents = openAgents(guard, false);
  const consentedAgents = openAgents(guard, true);

  return {
    request: (wanted) =>
      new Promise((resolve, reject) => {
        const { url } = wanted;
        const refusal = refuse(url);
        if (refusal !== null) return reject(refusal);
        const agents = isConsented(url.hostname, portOf(url), wanted.consent ?? null) ? consentedAgents : publicAgents;
        new Exchange(agents, wanted, resolve, reject).begin(names);
      }),
    async close() {
      const all = [publicAgents, consentedAgents].flatMap(({ usual, fresh, lenient }) => [usual, fresh, lenient]);
      await Promise.all(all.map((agent) => agent.destroy()));
    },
  };
}

interface Agents {
  usual: Agent;
  /** Opens a connection for each request: idle connections of `usual` may be as stale as the one that just failed. */
  fresh: Agent;
  /** For servers whose answers strict parsers reject. */
  lenient: LenientDispatcher;
  /** Origins whose bodies the strict parser has rejected: such an answer has already begun, so only the next request can be sent leniently. */
  spoilers: LRUCache<string, true>;
}

function openAgents(guard: GuardOptions, isConsentedOnly: boolean): Agents {
  const connector = createConnector(guard, isConsentedOnly);
  const connect = readInParts(connector);
  return {
    usual: openAgent(connect, 1),
    fresh: openAgent(connect, 0),
    lenient: new LenientDispatcher(connector),
    spoilers: new LRUCache({ max: 1_000, ttl: 3_600_000 }),
  };
}

/** @param pipelining requests per connection at a time; 0: one request, after which the connection is closed */
function openAgent(connect: Agent.Options["connect"], pipelining: 0 | 1): Agent {
  return new Agent({
    connect,
    allowH2: false,
    pipelining,
    maxHeaderSize: budgets.headersMaxBytes,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 30_000,
    headersTimeout: 0, // one total deadline instead: these two timeouts start again with every byte that trickles in
    bodyTimeout: 0,
  });
}

/** One request in progress, from the DNS lookup to the end of its answer's body. */
class Exchange {
  readonly #deadlineMs: number | null;
  readonly #timer: NodeJS.Timeout | null;
  readonly #lookupStop = new AbortController();
  readonly #dispatched: Dispatcher.DispatchOptions & LenientRequest;
  readonly #isRepeatable: boolean;
  #isRepeated = false;
  /** Why the strict parser refused the answer, once the request is repeated with the lenient one. */
  #refusal: AppError | null = null;
  #isLookingUp = false;
  #isAnswered = false;
  #hop: Hop;
  #agent: Agent | LenientDispatcher;

  constructor(
    private readonly agents: Agents,
    private readonly wanted: EgressRequest,
    private readonly resolve: (response: EgressResponse) => void,
    private readonly reject: (error: AppError) => void,
  ) {
    const { url, method = "GET", headers, body = null, deadlineMs = budgets.httpDeadlineMs } = wanted;
    this.#dispatched = { origin: url.origin, path: url.pathname + url.search, method, headers, body };
    this.#isRepeatable = method === "GET" || method === "HEAD";
    this.#deadlineMs = deadlineMs;
    this.#timer = deadlineMs === null ? null : setTimeout(this.#expire, deadlineMs);
    this.#agent = this.#isRepeatable && agents.spoilers.has(url.origin) ? agents.lenient : agents.usual;
    this.#hop = this.#open();
  }

  /** @param names looks the name up before the request waits for its connection; null: the lookup happens when the connection is opened */
  begin(names: Names | null): void {
    const { url, signal, consent } = this.wanted;
    signal?.addEventListener("abort", this.#cancel, { once: true });
    if (signal?.aborted === true) return this.#cancel();
    if (names === null || isIP(bareHost(url)) !== 0) return this.#send();
    this.#isLookingUp = true;
    names.lookup(url.hostname, { owner: askerOf(consent, url.hostname), signal: this.#lookupStop.signal }).then(
      () => {
        this.#isLookingUp = false;
        if (!this.#lookupStop.signal.aborted) this.#send();
      },
      (error: unknown) => this.#hop.abort(describeFailure(error, url.host, "lookup")),
    );
  }

  #open(): Hop {
    const answered = (response: EgressResponse) => {
      this.#isAnswered = true;
      this.resolve(response);
    };
    const failed = (error: AppError, mayRepeat: boolean) => this.#failed(error, mayRepeat);
    const spoiled = (error: AppError) => {
      if (isOverlookedByBrowsers(error)) this.agents.spoilers.set(this.wanted.url.origin, true);
    };
    return createHop(this.wanted.url.host, { answered, failed, spoiled }, () => {
      if (this.#isAnswered) this.#release();
    });
  }

  #send(): void {
    try {
      this.#agent.dispatch(this.#dispatched, this.#hop);
    } catch (error) {
      this.#release();
      this.reject(describeFailure(error, this.wanted.url.host, "headers"));
    }
  }

  #failed(error: AppError, mayRepeat: boolean): void {
    const { fresh, lenient } = this.agents;
    if (this.#isRepeatable && this.#agent !== lenient && isOverlookedByBrowsers(error)) {
      this.#refusal = error;
      this.#agent = lenient;
    } else if (this.#isRepeatable && mayRepeat && !this.#isRepeated) {
      this.#isRepeated = true;
      if (this.#agent !== lenient) this.#agent = fresh;
    } else {
      this.#release();
      return this.reject(this.#refusal ?? error);
    }
    this.#hop = this.#open();
    this.#send();
  }

  readonly #cancel = () => {
    const { signal, url } = this.wanted;
    this.#hop.abort(
      signal?.reason instanceof AppError
        ? signal.reason
        : new AppError("cancelled", `The request to ${url.host} was cancelled.`),
    );
  };

  readonly #expire = () =>
    this.#hop.abort(
      new AppError(
        "timed_out",
        `The server ${this.wanted.url.host} did not finish its answer within ${(this.#deadlineMs ?? 0) / 1000} s. Try again; if it happens every time, the server is too slow.`,
      ),
    );

  #release(): void {
    // only when it is needed: even an abort that nobody hears creates an error with its stack
    if (this.#isLookingUp) this.#lookupStop.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.wanted.signal?.removeEventListener("abort", this.#cancel);
  }
}

/**
 * Reads a body to its end without using it, so that its connection can be reused; closes the connection when the body is long (over 32 KiB)
 * or slow (over 1 s). `contentLength`: the announced length, NaN when there is none.
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
      `Addresses that start with ${url.protocol} are not fetched, only http: and https:.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    return new AppError(
      "invalid_input",
      `The URL of ${url.host} contains a user name or password. Set them under Options instead.`,
    );
  }
  return null;
}
