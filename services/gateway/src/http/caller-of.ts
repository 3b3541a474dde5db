import type { StartedBy } from "@web-tester/contracts/entities/schedule";
import type { Request } from "express";

/** Who asks for a run: a person at the screens, whose browser says so of each request, our command line, or another program. */
export function callerOf(request: Pick<Request, "headers">): StartedBy {
  if (request.headers["sec-fetch-site"] === "same-origin") return "person";
  return request.headers["user-agent"] === "web-tester-cli" ? "cli" : "api";
}
