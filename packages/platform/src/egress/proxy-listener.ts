import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { AppError } from "@web-tester/contracts/errors";
import { type Consent, isConsented, portOf } from "./address-policy.js";
import type { createConnector } from "./connect.js";
import { describeFailure } from "./describe-failure.js";
import type { Egress } from "./egress.js";
import type { EgressResponse } from "./hop.js";
import { askerOf, type Names } from "./names.js";

/** The permissions of one page while a browser loads it. */
export interface ProxyGrant {
  /** The consent of the page's own test object; never another object's. */
  consent: Consent | null;
  /** The most bytes that the page may receive in all; the rest is cut off. */
  maxBytes: number;
  /** Called once the page has received more than `maxBytes`. */
  onOverBudget(): void;
  /** Waits until one more request (or tunnel) to a host may start; call the returned function when it has ended. */
  enter(host: string, port: number): Promise<() => void>;
}

type Connector = ReturnType<typeof createConnector>;

/** How a proxy listener reaches the network; the guard checks each connection. */
export interface Ways {
  egress: Egress;
  /** Asked on behalf of the page's object before a tunnel is opened; null: names are looked up when the tunnel is opened. */
  names: Names | null;
  /** A plain TCP connection for a tunnel; the page's own TLS runs inside. */
  connectTunnel: Connector;
  connectConsentedTunnel: Connector;
}

/**
 * One proxy address. It lets nothing through until it is opened for a page, and nothing after it was shut. Any program on this machine can
 * reach its port, so a password (Basic, RFC 7617) is required.
 */
export interface ProxyListener {
  /** Port on 127.0.0.1. */
  port: number;
  /** Generated for this proxy listener alone. */
  readonly credentials: { username: string; password: string };
  /** Lets one page through under its grant. @throws Error when the proxy listener is open already */
  open(grant: ProxyGrant): void;
  /** Closes every connection of the page, so that none of them is reused by the next page. */
  shut(): void;
  /** Why the newest failed connection to this host and port failed during the current (or last) page; null when none failed. */
  failureOf(host: string, port: number): AppError | null;
  /** Bytes received for the current (or last) page. */
  readonly bytes: number;
  /** Milliseconds since something last came in for the page; 0 while any site owes it an answer, as far as connections show. */
  readonly restingMs: number;
  close(): Promise<void>;
}

/** A host name that the proxy listener answers itself: 204 to a request with the right password, so that a browser can be given the password before its first page. */
export const greetingHost = "proxy.web-tester.invalid";

/** The most bytes of a request body: it is held in memory until it is sent on. */
const requestBodyMaxBytes = 4 * 1024 * 1024;
const failuresMax = 1_000;
const challenge = { "Proxy-Authenticate": 'Basic realm="web-tester"' };

/** Headers that belong to one connection only (RFC 9110 §7.6.1), or to the browser and this proxy. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The time that one page has a proxy listener. */
interface Visit {
  grant: ProxyGrant;
  ended: AbortController;
  bytes: number;
  failures: Map<string, AppError>;
  /** The number of requests and tunnels that wait for an answer. */
  owed: number;
  heardAt: number;
}

/** Creates a proxy listener and its server; the caller has to make the server listen. */
export function openListener(ways: Ways, onClosed: () => void): { proxyListener: ProxyListener; server: Server } {
  const listener = new HttpListener(ways, onClosed);
  return { proxyListener: listener, server: listener.server };
}

class HttpListener implements ProxyListener {
  readonly server = createServer({ keepAlive: true, highWaterMark: 64 * 1024 });
  readonly credentials = { username: "tab", password: randomBytes(24).toString("base64url") };
  readonly #expected: Buffer;
  readonly #sockets = new Set<Duplex>();
  #visit: Visit | null = null;
  #last: Visit | null = null;

  constructor(
    private readonly ways: Ways,
    private readonly onClosed: () => void,
  ) {
    const { username, password } = this.credentials;
    this.#expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
    const { server } = this;
    server.keepAliveTimeout = 120_000;
    server.requestTimeout = 0;
    server.on("connection", this.#track);
    server.on("clientError", (_error, socket) => socket.destroy());
    server.on("upgrade", (_request, socket) => socket.destroy());
    server.on("request", (request, response) => this.#onRequest(request, response));
    server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) =>
      this.#onConnect(request, client, head),
    );
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  get bytes(): number {
    return this.#last?.bytes ?? 0;
  }

  get restingMs(): number {
    const visit = this.#visit;
    return visit === null || visit.owed > 0 ? 0 : performance.now() - visit.heardAt;
  }

  open(grant: ProxyGrant): void {
    if (this.#visit !== null) throw new Error("The listener is open for another page.");
    const heardAt = performance.now();
    this.#visit = { grant, ended: new AbortController(), bytes: 0, failures: new Map(), owed: 0, heardAt };
    this.#last = this.#visit;
  }

  shut(): void {
    this.#last = this.#visit ?? this.#last;
    this.#visit?.ended.abort(new AppError("cancelled", "The page that asked is closed."));
    this.#visit = null;
    for (const socket of this.#sockets) socket.destroy();
  }

  failureOf(host: string, port: number): AppError | null {
    return this.#last?.failures.get(`${host}:${port}`) ?? null;
  }

  async close(): Promise<void> {
    this.shut();
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
    this.onClosed();
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const current = this.#visit;
    const isGreeting = URL.parse(request.url ?? "")?.hostname === greetingHost;
    if (current === null && !isGreeting) return void request.socket.destroy();
    if (!this.#knowsPassword(request)) {
      request.resume();
      return void response.writeHead(407, { ...challenge, "Content-Length": 0 }).end();
    }
    if (isGreeting || current === null) {
      request.resume();
      return void response.writeHead(204, { "Cache-Control": "no-store" }).end();
    }
    response.once("close", owe(current));
    forward(this.ways, current, request, response).catch((error: unknown) => {
      const url = URL.parse(request.url ?? "");
      if (url !== null) note(current, url.hostname, portOf(url), error);
      // an error page of ours would look like the site's own: the page sees what a browser without a proxy would see
      response.destroy();
      request.socket.destroy();
    });
  }

  #onConnect(request: IncomingMessage, client: Duplex, head: Buffer): void {
    this.#track(client);
    const current = this.#visit;
    const target = URL.parse(`http://${request.url ?? ""}`);
    if (current === null || target === null) return void client.destroy();
    if (!this.#knowsPassword(request)) {
      const asked = Object.entries(challenge).map(([name, value]) => `${name}: ${value}\r\n`);
      return void client.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\n${asked.join("")}Content-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    }
    tunnel(this.ways, current, target, client, head, this.#track).catch((error: unknown) => {
      note(current, target.hostname, tunnelPort(target), error);
      client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
    });
  }

  #knowsPassword({ headers }: IncomingMessage): boolean {
    const said = Buffer.from(headers["proxy-authorization"] ?? "", "latin1");
    return said.length === this.#expected.length && timingSafeEqual(said, this.#expected);
  }

  readonly #track = <Socket extends Duplex>(socket: Socket): Socket => {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    return socket;
  };
}

function note(visit: Visit, host: string, port: number, error: unknown): void {
  if (visit.failures.size >= failuresMax) visit.failures.clear();
  visit.failures.set(`${host}:${port}`, describeFailure(error, host, "headers"));
}

/** Notes that an answer is awaited. @returns a function that notes, once, that it came or never will */
function owe(visit: Visit): () => void {
  let isOwed = true;
  visit.owed += 1;
  return () => {
    if (!isOwed) return;
    isOwed = false;
    visit.owed -= 1;
    visit.heardAt = performance.now();
  };
}

/** Counts received bytes. @returns false once the budget is spent */
function take(visit: Visit, bytes: number): boolean {
  const { grant } = visit;
  visit.heardAt = performance.now();
  const before = visit.bytes;
  visit.bytes += bytes;
  if (visit.bytes <= grant.maxBytes) return true;
  if (before <= grant.maxBytes) grant.onOverBudget();
  return false;
}

/** Forwards one plain http: request through the guarded egress. @throws AppError when there is no answer */
async function forward(
  { egress }: Ways,
  visit: Visit,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = URL.parse(request.url ?? "");
  if (url === null || url.protocol !== "http:")
    throw new AppError("address_refused", "Only http: requests come to the proxy this way.");
  const body = await readRequestBody(request);
  const leave = await visit.grant.enter(url.hostname, portOf(url));
  // the browser may have given up while it waited for its turn
  if (response.closed) return leave();
  response.once("close", leave);
  const answer = await egress.request({
    url,
    method: request.method ?? "GET",
    headers: sentOn(request.rawHeaders),
    ...(body === null ? {} : { body }),
    consent: visit.grant.consent,
    signal: visit.ended.signal,
    deadlineMs: null,
  });
  if (response.destroyed) answer.body.destroy();
  else passOn(answer, visit, request, response);
}

function passOn(answer: EgressResponse, visit: Visit, request: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  response.writeHead(
    answer.status,
    answer.headers.flatMap(([name, value]) => (hopByHop.has(name.toLowerCase()) ? [] : [name, value])),
  );
  answer.body.on("data", (chunk: Buffer) => {
    if (!take(visit, chunk.length)) answer.body.destroy();
  });
  answer.body.once("close", () => {
    // a body that was cut off must not look complete
    if (!answer.body.readableEnded) request.socket.destroy();
  });
  response.once("close", () => answer.body.destroy());
  answer.body.pipe(response);
}

async function readRequestBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > requestBodyMaxBytes)
      throw new AppError("too_large", `A page sent more than ${requestBodyMaxBytes / 1024 / 1024} MiB at once.`);
    chunks.push(chunk);
  }
  return bytes === 0 ? null : Buffer.concat(chunks, bytes);
}

function sentOn(raw: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    if (hopByHop.has(name) || name === "host" || name === "content-length") continue;
    const before = headers.get(name);
    const value = raw[at + 1] ?? "";
    headers.set(name, before === undefined ? value : `${before}${name === "cookie" ? "; " : ", "}${value}`);
  }
  return Object.fromEntries(headers);
}

/** Opens a tunnel to a checked address, for https and websockets. @throws AppError when it cannot be opened */
async function tunnel(
  ways: Ways,
  visit: Visit,
  target: URL,
  client: Duplex,
  head: Buffer,
  track: <Socket extends Duplex>(socket: Socket) => Socket,
): Promise<void> {
  const port = tunnelPort(target);
  const { hostname } = target;
  let heard = owe(visit);
  client.once("close", () => heard());
  const leave = await visit.grant.enter(hostname, port);
  client.once("close", leave);
  if (client.destroyed) return leave();
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (ways.names !== null && isIP(host) === 0) await lookUpFirst(ways.names, visit, host, client);
  const connect = isConsented(hostname, port, visit.grant.consent) ? ways.connectConsentedTunnel : ways.connectTunnel;
  const server = await openSocket(connect, target, host, port);
  if (client.destroyed || visit.ended.signal.aborted) {
    server.destroy();
    client.destroy();
    return;
  }
  track(server);
  // what is said inside cannot be read: where the page spoke last, it waits for an answer
  client.on("data", () => {
    heard();
    heard = owe(visit);
  });
  server.on("data", (chunk: Buffer) => {
    heard();
    if (!take(visit, chunk.length)) server.destroy();
  });
  join(client, server, head);
}

/** Looks the name up in the turn of the page's object; the connection then finds the answer in the cache. @throws AppError dns_failed */
async function lookUpFirst(names: Names, visit: Visit, host: string, client: Duplex): Promise<void> {
  const gone = new AbortController();
  client.once("close", () => gone.abort());
  const signal = AbortSignal.any([visit.ended.signal, gone.signal]);
  await names.lookup(host, { owner: askerOf(visit.grant.consent, host), signal }).catch((error: unknown) => {
    throw describeFailure(error, host, "lookup");
  });
}

function openSocket(connect: Connector, target: URL, host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    connect(
      { hostname: host, host: target.host, protocol: "http:", port: String(port) },
      (error: Error | null, socket: Duplex | null) => {
        if (socket !== null) resolve(socket);
        else reject(error ?? new Error("no socket"));
      },
    );
  });
}

/** Pipes each socket into the other, and closes both together. */
function join(client: Duplex, server: Duplex, head: Buffer): void {
  server.once("close", () => client.destroy());
  client.once("close", () => server.destroy());
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) server.write(head);
  client.pipe(server);
  server.pipe(client);
}

/** A tunnel always names its port, but `URL` drops 80 as the default. */
function tunnelPort(target: URL): number {
  return target.port === "" ? 80 : Number(target.port);
}
