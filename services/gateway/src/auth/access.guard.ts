import { type CanActivate, type ExecutionContext, Inject, Injectable } from "@nestjs/common";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { ACCESS } from "../parts.js";
import { type AccessPolicy, requireAccess } from "./access.js";
import { isPublic } from "../http/public.js";

/** Requests that have shown already that they may do anything. */
const admitted = new WeakSet<Request>();

/** Stands in front of every controller method; closed unless the method says otherwise. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(@Inject(ACCESS) private readonly policy: AccessPolicy) {}

  canActivate(context: ExecutionContext): boolean {
    // websockets were checked before their upgrade
    if (context.getType() !== "http") return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (admitted.has(request)) return true;
    requireAccess(this.policy, request, !isPublic(context.getHandler()));
    return true;
  }
}

/** The same check for what no guard reaches: everything below /api that is not a controller's, and bodies before they are read. */
export function accessGate(policy: AccessPolicy): RequestHandler {
  return (request: Request, _response: Response, next: NextFunction) => {
    try {
      const needsToken = /^\/+api(\/|$)/i.test(request.path);
      requireAccess(policy, request, needsToken);
      if (needsToken) admitted.add(request);
      next();
    } catch (error) {
      next(error);
    }
  };
}
