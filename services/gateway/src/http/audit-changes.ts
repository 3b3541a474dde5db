import type { Logger } from "@web-tester/platform/log/logger";
import { findActor } from "./actor.js";
import type { Origin } from "./client-address.js";
import type { NextFunction, Request, RequestHandler, Response } from "express";

const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const shownChars = 100;

/**
 * Logs one line for every call that may change something, refused ones included: when, who (address and name), what, on which ids, and
 * how it ended. Bodies, queries and headers are left out, and with them all secrets.
 * @param addressOf the client's address, which is not that of a trusted proxy
 */
export function auditChanges(log: Pick<Logger, "info">, addressOf: (origin: Origin) => string): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (readingMethods.has(request.method)) {
      next();
      return;
    }
    // read now, because a socket no longer knows its address after the caller has disconnected
    const address = addressOf(request);
    const path = shown(request.path);
    let made: Record<string, string> = {};
    const json = response.json.bind(response);
    response.json = (body: unknown) => {
      made = madeBy(body);
      return json(body);
    };
    response.once("close", () => {
      const actor = findActor(request);
      const allowed = response.statusCode !== 401 && response.statusCode !== 403;
      log.info(
        {
          audit: "change",
          address,
          actor: !allowed ? "refused" : (actor?.kind ?? "anybody"),
          ...(actor === null || actor.kind === "anybody" ? {} : { name: shown(actor.name) }),
          method: shown(request.method),
          path,
          ...made,
          status: response.writableFinished ? response.statusCode : "gone",
        },
        "A change was asked for",
      );
    });
    next();
  };
}

/** Ids of what a call made or began, read from its answer. */
function madeBy(body: unknown): Record<string, string> {
  if (typeof body !== "object" || body === null) return {};
  return Object.fromEntries(
    ["id", "runId", "code"].flatMap((name) => {
      const value: unknown = Reflect.get(body, name);
      return typeof value === "string" ? [[name === "id" ? "madeId" : name, shown(value)]] : [];
    }),
  );
}

function shown(text: string): string {
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
}
