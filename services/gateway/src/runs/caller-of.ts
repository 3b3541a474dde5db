import type { StartedBy } from "@web-tester/contracts/entities/schedule";
import type { Request } from "express";

/** Who asks for a run: a person at the screens, whose browser says so of each request, or a program. */
export function callerOf(request: Pick<Request, "headers">): StartedBy {
  return request.headers["sec-fetch-site"] === "same-origin" ? "person" : "api";
}
