import { AppError } from "@web-tester/contracts/errors";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { Server } from "node:http";
import { clientNames, type Origin, proxyNames } from "./client-address.js";

type Socket = Request["socket"];

/** Options of an HTTP server; some of them can be set when it is made, and never later. */
export interface ServerTimes {
  headersTimeout: number;
  connectionsCheckingInterval: number;
  keepAliveTimeout: number;
  requestTimeout: number;
}

/** The head of a request has to be there in this time, from the first connection or the first byte on. */
const headMs = 20_000;
/** Behind a proxy the proxy closes idle connections first; the other way round requests get lost. */
const keepAliveMs = 65_000;

/**
 * The server's own limits in time.
 * @param stallMs bound of all of them, so that a test need not wait
 */
export function serverTimes(stallMs: number): ServerTimes {
  const headersTimeout = Math.min(headMs, stallMs);
  return {
    headersTimeout,
    connectionsCheckingInterval: Math.ceil(headersTimeout / 4),
    keepAliveTimeout: keepAliveMs,
    // bodies have limits of their own (`bodyTimeLimits`)
    requestTimeout: 0,
  };
}

/** How many connections each client may hold. */
export interface ConnectionLimit {
  /** Watches the connections of a server. */
  watch(server: Server): void;
  /** In front of all handlers: refuses who holds too many. */
  handler: RequestHandler;
  /** Takes a place for a websocket until its connection ends. @throws AppError too_many_requests */
  takeSocket(request: Origin & { socket: Socket }): void;
}

export interface ConnectionLimitOptions {
  /** Connections of one client at once; 0: no limit. Through a proxy, which shares its own among all, requests and websockets at once. */
  perClient: number;
  trustedProxies: readonly string[];
  /** Replaces how clients are told apart, in tests. */
  nameOf?: (origin: Origin) => string | null;
}

export function createConnectionLimit(options: ConnectionLimitOptions): ConnectionLimit {
  return new ClientConnections(options);
}

class ClientConnections implements ConnectionLimit {
  readonly #perClient: number;
  readonly #nameOf: (origin: Origin) => string | null;
  readonly #isProxy: (address: string | undefined) => boolean;
  readonly #places = countPlaces();
  /** Connections that are one too many: they are told so when they ask. */
  readonly #beyond = new WeakSet<Socket>();

  constructor({ perClient, trustedProxies, nameOf = clientNames(trustedProxies) }: ConnectionLimitOptions) {
    this.#perClient = perClient;
    this.#nameOf = nameOf;
    this.#isProxy = proxyNames(trustedProxies);
  }

  watch(server: Server): void {
    const perClient = this.#perClient;
    if (perClient === 0) return;
    server.on("connection", (socket: Socket) => {
      const name = this.#isProxy(socket.remoteAddress) ? null : this.#nameOf({ headers: {}, socket });
      if (name === null) return;
      const { count, release } = this.#places.take(name);
      socket.once("close", release);
      // some are kept to be told why; a crowd is not
      if (count > 2 * perClient) socket.destroy();
      else if (count > perClient) this.#beyond.add(socket);
    });
  }

  readonly handler = (request: Request, response: Response, next: NextFunction): void => {
    const name = this.#behindProxy(request);
    const place = name === null ? null : this.#places.take(name);
    if (place !== null) response.once("close", place.release);
    if (!this.#beyond.has(request.socket) && (place === null || place.count <= this.#perClient)) {
      next();
      return;
    }
    response.setHeader("Connection", "close");
    response.setHeader("Retry-After", "1");
    next(tooManyConnections());
  };

  takeSocket(request: Origin & { socket: Socket }): void {
    if (this.#beyond.has(request.socket)) throw tooManyConnections();
    const name = this.#behindProxy(request);
    if (name === null) return;
    const { count, release } = this.#places.take(name);
    if (count > this.#perClient) {
      release();
      throw tooManyConnections();
    }
    request.socket.once("close", release);
  }

  /** Who stands behind a proxy; null where the connection itself was counted, or is this machine's own. */
  #behindProxy(origin: Origin): string | null {
    const isForwarded = origin.headers["x-forwarded-for"] !== undefined && this.#isProxy(origin.socket.remoteAddress);
    return this.#perClient > 0 && isForwarded ? this.#nameOf(origin) : null;
  }
}

/** How many places each name holds. */
function countPlaces() {
  const counts = new Map<string, number>();
  const give = (name: string): void => {
    const left = (counts.get(name) ?? 1) - 1;
    if (left === 0) counts.delete(name);
    else counts.set(name, left);
  };
  const take = (name: string): { count: number; release: () => void } => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    let isHeld = true;
    const release = () => {
      if (isHeld) give(name);
      isHeld = false;
    };
    return { count, release };
  };
  return { take };
}

function tooManyConnections(): AppError {
  return new AppError(
    "too_many_requests",
    "Too many connections are open from your address. Close some and ask again; CONNECTION_LIMIT sets how many there may be.",
  );
}

/**
 * Ends connections whose reader takes nothing, whatever sends to it, and those that are idle behind an answer. Node's own clock asks,
 * which knows how much of a long write is on its way.
 * @returns the handler that notes which connections wait for us instead
 */
export function endStillConnections(server: Server, stallMs: number): RequestHandler {
  /** Answers that are being made on each connection; those that never asked are not in it, and have `headersTimeout`. */
  const answering = new WeakMap<Socket, number>();
  const add = (socket: Socket, count: number) => answering.set(socket, (answering.get(socket) ?? 0) + count);
  server.setTimeout(stallMs, (socket: Socket) => {
    if (socket.writableLength > 0 || answering.get(socket) === 0) socket.destroy();
    // it is we who are slow: its clock runs again
    else socket.setTimeout(stallMs);
  });
  return (request, response, next) => {
    const { socket } = request;
    add(socket, 1);
    response.once("close", () => add(socket, -1));
    next();
  };
}
