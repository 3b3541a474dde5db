import { AppError } from "@web-tester/contracts/errors";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import { clientNames, type Origin } from "./client-address.js";

/** The most clients that are remembered; beyond that the one that was quiet longest is forgotten. */
const clientsMax = 50_000;

/** Limits how much each client may ask. */
export interface RateLimit {
  /**
   * Counts one request, or one frame of a websocket.
   * @returns null where it may be answered, else the seconds until the next one may be, at least 1
   */
  take(origin: Origin): number | null;
  /** Counts a wrong secret as a second's worth of requests, so that nobody tries thousands of them in a minute. */
  refuse(origin: Origin): void;
}

export interface RateLimitOptions {
  /** The most requests of one client at once, which are regained evenly over a minute; 0: no limit. */
  perMinute: number;
  trustedProxies: readonly string[];
  nowMs?: () => number;
}

/** Limits each client on its own (token bucket). Refused requests do not count. */
export function createRateLimit({
  perMinute,
  trustedProxies,
  nowMs = () => performance.now(),
}: RateLimitOptions): RateLimit {
  const nameOf = clientNames(trustedProxies);
  const perMs = perMinute / 60_000;
  const clients = new LRUCache<string, { left: number; at: number }>({ max: clientsMax });
  const leftOf = (name: string, at: number): number => {
    const known = clients.get(name);
    return known === undefined ? perMinute : Math.min(perMinute, known.left + (at - known.at) * perMs);
  };
  return {
    take(origin) {
      const name = perMinute === 0 ? null : nameOf(origin);
      if (name === null) return null;
      const at = nowMs();
      const left = leftOf(name, at);
      const allowed = left >= 1;
      clients.set(name, { left: allowed ? left - 1 : left, at });
      return allowed ? null : Math.max(1, Math.ceil((1 - left) / perMs / 1_000));
    },
    refuse(origin) {
      const name = perMinute === 0 ? null : nameOf(origin);
      if (name === null) return;
      const at = nowMs();
      // the request itself is counted already
      clients.set(name, { left: Math.max(0, leftOf(name, at) - Math.max(0, perMs * 1_000 - 1)), at });
    },
  };
}

/**
 * Makes the error for a client that asks too much.
 * @param seconds after which it may ask again
 */
export function tooMany(seconds: number): AppError {
  return new AppError(
    "too_many_requests",
    `Too many requests from your address. Wait ${seconds} s, then send requests more slowly; RATE_LIMIT sets the limit.`,
  );
}

/** Paths of monitoring, which asks seldom and must always get an answer. */
const unlimited = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Answers 429 to a client that asks too much, before any work is done for it.
 * @param showsSecret whether a request has a secret, which may be a guess
 */
export function limitRequests(rate: RateLimit, showsSecret: (request: Request) => boolean): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const seconds = unlimited.has(request.path) ? null : rate.take(request);
    if (seconds === null) {
      if (showsSecret(request)) response.once("finish", () => response.statusCode === 401 && rate.refuse(request));
      next();
      return;
    }
    response.setHeader("Retry-After", String(seconds));
    next(tooMany(seconds));
  };
}
