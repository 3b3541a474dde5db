import type { Metrics } from "@web-tester/platform/metrics/metrics";
import type { Tracer } from "@web-tester/platform/tracing/tracer";
import type { NextFunction, Request, RequestHandler, Response } from "express";

/**
 * Times every request and makes it a step of a trace. Routes are named as the router knows them (`/api/testobjects/:id`): what a caller wrote
 * into an address must never become a number's name.
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

/** Files and screens of the browser application, and what there is no route for, are told apart by nothing. */
function routeOf({ route }: Request): string {
  const path: unknown = typeof route === "object" && route !== null && "path" in route ? route.path : undefined;
  return typeof path === "string" ? path : "none";
}

/** `2xx`; a caller who went away before the answer is told apart. */
function statusOf(response: Response): string {
  return response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : "gone";
}
