import type { Metrics } from "@web-tester/platform/metrics/metrics";
import type { Tracer } from "@web-tester/platform/tracing/tracer";
import type { NextFunction, Request, RequestHandler, Response } from "express";

/**
 * Measures the time of every request and makes it a span of a trace. Metrics use the router's patterns (`/api/testobjects/:id`): what
 * a caller writes into an address must never become a label's value.
 */
export function measureRequests(metrics: Metrics, tracer: Tracer): RequestHandler {
  const seconds = metrics.histogram("http_request_seconds", "Time to answer one request", [
    "method",
    "route",
    "status",
  ]);

  return (request: Request, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    void tracer.span(
      `${methodOf(request)} request`,
      {
        kind: "server",
        carried: { get: (name) => request.get(name) },
        attributes: { "http.request.method": methodOf(request) },
      },
      (span) =>
        new Promise<void>((resolve) => {
          response.once("close", () => {
            const named = { method: methodOf(request), route: routeOf(request), status: statusOf(response) };
            seconds.observe(named, (performance.now() - startedAt) / 1000);
            span.set({ "http.route": named.route, "http.response.status_code": response.statusCode });
            resolve();
          });
          next();
        }),
    );
  };
}

const methods = new Set(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]);

function methodOf({ method }: Request): string {
  return methods.has(method) ? method : "other";
}

/** The pattern of a request's route; `none` for all files and screens of the browser application and all unknown paths. */
function routeOf({ route }: Request): string {
  const path: unknown = typeof route === "object" && route !== null && "path" in route ? route.path : undefined;
  return typeof path === "string" ? path : "none";
}

/** The status class, such as `2xx`; `gone` where the caller disconnected before the answer. */
function statusOf(response: Response): string {
  return response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : "gone";
}
