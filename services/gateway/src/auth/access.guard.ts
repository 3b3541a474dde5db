import { type CanActivate, type ExecutionContext, Inject, Injectable } from "@nestjs/common";
import { api, type EndpointName } from "@web-tester/contracts/api";
import { isChange } from "@web-tester/contracts/is-change";
import { includesRole } from "@web-tester/contracts/entities/role";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import type { EndedShare } from "@web-tester/records/shares/shares";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { type Actor, findActor, setActor } from "../http/actor.js";
import { handledEndpoint } from "../http/handles.js";
import { parseInput } from "../http/parse-input.js";
import { isPublic } from "../http/public.js";
import { ACCESS, AUDIT, DB } from "../parts.js";
import { type AccessPolicy, requireSite, unauthorized } from "./access.js";
import type { Audit } from "./audit.js";
import type { Authenticator } from "./authenticator.js";
import type { LiveCredentials } from "./live-credentials.js";
import { opens, shareRules } from "./share-rules.js";

/** The one path below /api that callers without any credentials may ask for. */
const signInPath = "/api/session";

/** Guards every controller method: access is denied unless the method's row of the endpoint table, or the method itself, allows it. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    @Inject(ACCESS) private readonly policy: AccessPolicy,
    @Inject(AUDIT) private readonly audit: Audit,
    @Inject(DB) private readonly db: Database,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    // websockets were checked before their upgrade
    if (context.getType() !== "http") return true;
    const request = context.switchToHttp().getRequest<Request>();
    const handler = context.getHandler();
    const name = handledEndpoint(handler);
    const actor = findActor(request);
    if (name !== null && isChange(name))
      await this.audit.begin(request, context.switchToHttp().getResponse<Response>(), name, actor);
    if (isPublic(handler)) return true;
    if (actor === null) throw unauthorized(this.policy);
    if (name === null) throw new AppError("forbidden", "This address is not available.");
    await requireRole(actor, name, request, this.db);
    return true;
  }
}

/**
 * Checks that the caller's role, or share link, covers the call.
 * @throws AppError forbidden
 */
async function requireRole(actor: Actor, name: EndpointName, request: Request, db: Database): Promise<void> {
  const { role: needed } = api[name];
  // a signed address was signed as a whole for whoever may see it, so that only share links need this check
  if (actor.share !== null && !(await isOpened(actor.share, name, request, db)))
    throw new AppError("forbidden", "This link gives access to one item only. Sign in to see more.");
  if (includesRole(actor.role, needed)) return;
  throw new AppError(
    "forbidden",
    `Your role is ${actor.role}; this needs ${needed}${needed === "admin" ? "" : " or a role above it"}. Ask an admin, or use another token.`,
    { details: { role: actor.role, needed } },
  );
}

async function isOpened(
  share: NonNullable<Actor["share"]>,
  name: EndpointName,
  request: Request,
  db: Database,
): Promise<boolean> {
  if (shareRules[name] === undefined || request.method !== "GET") return false;
  const { params, query, body } = request;
  return opens(share, name, parseInput(name, { params, query, body }), db);
}

/** What the access gate depends on. */
export interface GateParts {
  policy: AccessPolicy;
  authenticator: Authenticator;
  live: LiveCredentials;
}

/**
 * Checks what no guard reaches: everything below /api that is not a controller's, and requests before their bodies are read. It finds
 * out who is asking; the guard decides what they may do.
 */
export function accessGate({ policy, authenticator, live }: GateParts): RequestHandler {
  return async (request: Request, response: Response, next: NextFunction) => {
    try {
      requireSite(policy, request);
      if (/^\/+api(\/|$)/i.test(request.path)) {
        const actor = await authenticator.identify({
          method: request.method,
          url: request.originalUrl,
          headers: request.headers,
          address: request.socket.remoteAddress ?? "unknown",
        });
        if (actor !== null) admit(actor, { request, response, live });
        else if (request.path !== signInPath)
          throw endedLink(await authenticator.whyEnded(request.headers)) ?? unauthorized(policy);
      }
    } catch (error) {
      next(error);
      return;
    }
    next();
  };
}

/** Tells the holder of an ended share link's secret that the link has ended. */
function endedLink(ended: EndedShare | null): AppError | null {
  if (ended === null) return null;
  const { reason, at } = ended;
  const words = reason === "expired" ? "has expired" : "was revoked";
  return new AppError("unauthorized", `This link ${words}. Ask the person who gave it to you for a new one.`, {
    details: { link: reason, at: at.toISOString() },
  });
}

function admit(
  actor: Actor,
  { request, response, live }: { request: Request; response: Response; live: LiveCredentials },
): void {
  // the remaining paths, such as the description of the API, belong to no controller and are for those who may use the API
  if (actor.share !== null && !/^\/api\/(shared|testsnapshots|diff|runs|session)(\/|$)/.test(request.path))
    throw new AppError("forbidden", "This link gives access to one item only. Sign in to see more.");
  setActor(request, actor);
  if (actor.credentials.length === 0 || response.destroyed) return;
  response.once(
    "close",
    live.trackAnswer(request, actor.credentials, () => response.destroy()),
  );
}
