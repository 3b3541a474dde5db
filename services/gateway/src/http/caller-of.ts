import type { StartedBy } from "@web-tester/contracts/entities/schedule";
import type { Starter } from "@web-tester/records/runs/start-run";
import type { Request } from "express";
import { findActor } from "./actor.js";

/**
 * Tells who starts a run and by which name: a person, whose browser marks each request, the command line, or another
 * program.
 */
export function callerOf(request: Request): Starter {
  const actor = findActor(request);
  return { by: wayOf(request), name: actor === null || actor.kind === "anybody" ? null : actor.name };
}

function wayOf({ headers }: Pick<Request, "headers">): StartedBy {
  if (headers["sec-fetch-site"] === "same-origin") return "person";
  return headers["user-agent"] === "web-tester-cli" ? "cli" : "api";
}
