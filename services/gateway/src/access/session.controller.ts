import { Controller, Inject, Req, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import type { Request, Response as HttpResponse } from "express";
import { type AccessPolicy, unauthorized } from "../auth/access.js";
import { isOverTls } from "../auth/cookie.js";
import type { Authenticator } from "../auth/authenticator.js";
import type { LiveCredentials } from "../auth/live-credentials.js";
import { beginSignIn, endSignIn, toSession } from "../auth/sign-in.js";
import { findActor } from "../http/actor.js";
import { Handles, Parsed } from "../http/handles.js";
import { ACCESS, DB, AUTHENTICATOR, type GatewayOptions, LIVE, OPTIONS } from "../parts.js";

/** Answers who is asking, and signs a browser in and out. */
@Controller()
export class SessionController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(ACCESS) private readonly policy: AccessPolicy,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(LIVE) private readonly live: LiveCredentials,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  @Handles("getSession")
  async get(
    @Parsed() _input: Input<"getSession">,
    @Req() request: Request,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<Response<"getSession">> {
    response.setHeader("Cache-Control", "no-store");
    return toSession(findActor(request), this.options.providerName);
  }

  @Handles("signIn")
  async signIn(
    @Parsed() { body }: Input<"signIn">,
    @Req() request: Request,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<Response<"signIn">> {
    response.setHeader("Cache-Control", "no-store");
    if (await this.authenticator.isOpen())
      throw new AppError(
        "conflict",
        "Signing in is not needed: no token exists yet. Create the first one under Access.",
      );
    const actor = await this.authenticator.bySecret(body.token.trim());
    const { rootMark } = this.authenticator;
    if (actor === null || actor.share !== null) throw unauthorized(this.policy);
    const by = actor.ownerId === null ? (rootMark === null ? null : { rootMark }) : { tokenId: actor.ownerId };
    if (by === null) throw unauthorized(this.policy);
    const until = new Date(Math.min(Date.now() + this.options.sessionMs, actor.until?.getTime() ?? Infinity));
    const { name } = actor;
    await beginSignIn(this.db, response, this.policy.cookies, {
      by,
      name,
      until,
      isSecure: isOverTls(request.headers),
    });
    return toSession({ ...actor, signedIn: true, until }, this.options.providerName);
  }

  @Handles("signOut")
  async signOut(
    @Parsed() { query }: Input<"signOut">,
    @Req() request: Request,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<Response<"signOut">> {
    response.setHeader("Cache-Control", "no-store");
    const { cookie } = request.headers;
    const ended = await endSignIn(this.db, response, this.policy.cookies, cookie, query.everywhere === "true");
    if (ended.length > 0) {
      this.live.spare(request);
      this.live.endEverywhere(ended);
    }
    const actor = findActor(request);
    return toSession(actor?.signedIn === true ? null : actor, this.options.providerName);
  }
}
