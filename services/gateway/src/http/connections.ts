import { AppError } from "@web-tester/contracts/errors";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { Server } from "node:http";
import { clientNames, type Origin, proxyNames } from "./client-address.js";

type Socket = Request["socket"];

/** Time limits of an HTTP server, in milliseconds; some of them can be set only when it is created. */
export interface ServerTimes {
  headersTimeout: number;
  connectionsCheckingInterval: number;
  keepAliveTimeout: number;
  requestTimeout: number;
}

/** The head of a request has to arrive within this time, counted from the connection or from the request's first byte. */
const headMs = 20_000;
/** Longer than proxies keep idle connections, so that the proxy closes them first; the other way round requests get lost. */
const keepAliveMs = 65_000;

/**
 * Returns the server's time limits.
 * @param stallMs upper bound of `headersTimeout`, so that tests need not wait
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

/** Limits how many connections each client may hold. */
export interface ConnectionLimit {
  /** Watches the connections of a server. */
  watch(server: Server): void;
  /** Runs before all handlers and refuses requests of clients that hold too many connections. */
  handler: RequestHandler;
  /**
   * Counts a websocket until its connection ends.
   * @throws AppError too_many_requests
   */
  takeSocket(request: Origin & { socket: Socket }): void;
}

export interface ConnectionLimitOptions {
  /**
   * Connections of one client at once; 0: no limit. A proxy shares its connections among all clients, so behind one the requests and
   * websockets at once are counted instead.
   */
  perClient: number;
  trustedProxies: readonly string[];
  /** Replaces the function that names clients, in tests. */
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
  /** Connections over the limit: their requests are refused with the reason. */
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
      // those up to twice the limit are kept open, so that they can be told why; any more are closed at once
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

  /** The name of a client behind a proxy; null where the connection itself was counted, or comes from this machine. */
  #behindProxy(origin: Origin): string | null {
    const isForwarded = origin.headers["x-forwarded-for"] !== undefined && this.#isProxy(origin.socket.remoteAddress);
    return this.#perClient > 0 && isForwarded ? this.#nameOf(origin) : null;
  }
}

/** Counts how many places each name holds. */
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
    "Too many connections are open from your address. Close some and try again; CONNECTION_LIMIT sets the limit.",
  );
}

/**
 * Closes connections whose reader takes nothing, whatever is sending to it, and those that stay idle after an answer. Uses Node's own
 * socket timeout, which knows how much of a long write is on its way.
 * @returns the handler that notes on which connections an answer is still being made
 */
export function endStillConnections(server: Server, stallMs: number): RequestHandler {
  /**
   * The number of answers being made on each connection; connections without any request yet are missing here, as `headersTimeout`
   * covers them.
   */
  const answering = new WeakMap<Socket, number>();
  const add = (socket: Socket, count: number) => answering.set(socket, (answering.get(socket) ?? 0) + count);
  server.setTimeout(stallMs, (socket: Socket) => {
    if (socket.writableLength > 0 || answering.get(socket) === 0) socket.destroy();
    // an answer is still being made, so we are the slow side: the timeout starts again
    else socket.setTimeout(stallMs);
  });
  return (request, response, next) => {
    const { socket } = request;
    add(socket, 1);
    response.once("close", () => add(socket, -1));
    next();
  };
}
