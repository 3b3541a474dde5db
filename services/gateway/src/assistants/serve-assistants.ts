import type { NestExpressApplication } from "@nestjs/platform-express";
import { Session } from "@web-tester/cli/session";
import { AppError } from "@web-tester/contracts/errors";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { type AccessPolicy, unauthorized } from "../auth/access.js";
import { headerSecrets } from "../auth/credentials.js";
import { actorOf } from "../http/actor.js";
import { type RateLimit, tooMany } from "../http/rate-limit.js";

const path = "/api/mcp";
const nowhere = { write: (): void => undefined };

/**
 * Answers assistants over HTTP (Model Context Protocol, streamable HTTP, without sessions) as `web-tester mcp` does over standard
 * input. Each of their questions becomes API calls with the caller's token, so that roles, limits and the list of changes are those of
 * any other program.
 */
export function serveAssistants(app: NestExpressApplication, parts: AssistantParts): void {
  app.use(path, answerAssistants(parts));
}

/** What answers to assistants depend on. */
export interface AssistantParts {
  policy: Pick<AccessPolicy, "tokenHeader">;
  rate: RateLimit;
  /** Address of the screens, for the links in answers. */
  screens: string;
}

function answerAssistants(parts: AssistantParts): RequestHandler {
  return async (request: Request, response: Response, next: NextFunction) => {
    if (request.path !== "/") return next();
    try {
      countMessages(parts.rate, request, response);
      await answer(request, response, parts);
    } catch (error) {
      next(error);
    }
  };
}

/**
 * Counts each message of a batch against the rate limit, which has counted the first one as the request: the calls that answer them
 * come from this machine, which has no limit.
 * @throws AppError too_many_requests
 */
function countMessages(rate: RateLimit, request: Request, response: Response): void {
  const messages: unknown = request.body;
  if (!Array.isArray(messages)) return;
  for (let counted = 1; counted < messages.length; counted++) {
    const seconds = rate.take(request);
    if (seconds === null) continue;
    response.setHeader("Retry-After", String(seconds));
    throw tooMany(seconds);
  }
}

async function answer(request: Request, response: Response, { policy, screens }: AssistantParts): Promise<void> {
  if (request.method !== "POST") {
    response.setHeader("Allow", "POST");
    response.status(405).end();
    return;
  }
  const [token] = headerSecrets(request.headers, policy.tokenHeader);
  // a browser's sign-in is for the screens, not for assistants
  if (token === undefined && actorOf(request).kind !== "anybody") throw unauthorized(policy);
  const session = new Session({
    env: { WEB_TESTER_URL: addressOf(request), WEB_TESTER_TOKEN: token },
    ...{ out: nowhere, progress: nowhere, screens },
    onInterrupt: (stop) => void response.once("close", stop),
  });
  // loaded with the first question: loading these modules takes 50 ms, which a gateway's start need not pay for
  const [{ createAssistantServer }, { StreamableHTTPServerTransport }] = await Promise.all([
    import("@web-tester/cli/mcp/assistant-server"),
    import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
  ]);
  const server = createAssistantServer(session);
  // without sessions every request is complete in itself, so that any gateway can answer it
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
}

/**
 * The address of this process as the request reached it.
 * @throws AppError unavailable where its connection is gone
 */
function addressOf({ socket: { localAddress, localPort } }: Request): string {
  if (localAddress === undefined || localPort === undefined)
    throw new AppError("unavailable", "The connection was closed before the question could be answered.");
  return `http://${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}
