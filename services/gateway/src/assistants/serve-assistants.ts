import type { NestExpressApplication } from "@nestjs/platform-express";
import { Session } from "@web-tester/cli/session";
import { AppError } from "@web-tester/contracts/errors";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { type AccessPolicy, unauthorized } from "../auth/access.js";
import { headerSecrets } from "../auth/credentials.js";
import { actorOf } from "../http/actor.js";

const path = "/api/mcp";
const nowhere = { write: (): void => undefined };

/**
 * Answers assistants over HTTP (Model Context Protocol, streamable HTTP, without sessions) as `web-tester mcp` does over standard
 * input. Each of their questions becomes API calls with the caller's token, so that roles, limits and the list of changes are those of
 * any other program.
 * @param screens address of the screens, for the links in answers
 */
export function serveAssistants(
  app: NestExpressApplication,
  policy: Pick<AccessPolicy, "tokenHeader">,
  screens: string,
): void {
  app.use(path, answerAssistants(policy, screens));
}

function answerAssistants(policy: Pick<AccessPolicy, "tokenHeader">, screens: string): RequestHandler {
  return async (request: Request, response: Response, next: NextFunction) => {
    if (request.path !== "/") return next();
    try {
      await answer(request, response, policy, screens);
    } catch (error) {
      next(error);
    }
  };
}

async function answer(
  request: Request,
  response: Response,
  policy: Pick<AccessPolicy, "tokenHeader">,
  screens: string,
): Promise<void> {
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
