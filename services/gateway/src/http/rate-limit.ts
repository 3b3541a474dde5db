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
  return {
    take(origin) {
      const name = perMinute === 0 ? null : nameOf(origin);
      if (name === null) return null;
      const at = nowMs();
      const known = clients.get(name);
      const left = known === undefined ? perMinute : Math.min(perMinute, known.left + (at - known.at) * perMs);
      const allowed = left >= 1;
      clients.set(name, { left: allowed ? left - 1 : left, at });
      return allowed ? null : Math.max(1, Math.ceil((1 - left) / perMs / 1_000));
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

/** Answers 429 to a client that asks too much, before any work is done for it. */
export function limitRequests(rate: RateLimit): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const seconds = unlimited.has(request.path) ? null : rate.take(request);
    if (seconds === null) {
      next();
      return;
    }
    response.setHeader("Retry-After", String(seconds));
    next(tooMany(seconds));
  };
}
