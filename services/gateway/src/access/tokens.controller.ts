import { Controller, Inject, Req, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { countTokens, insertToken, lockTokens, revokeToken, selectTokens } from "@web-tester/records/tokens/tokens";
import type { Request, Response as HttpResponse } from "express";
import { type AccessPolicy, isLoopback } from "../auth/access.js";
import { tokenPrefix } from "../auth/credentials.js";
import type { Authenticator } from "../auth/authenticator.js";
import { anybodysCredential, type LiveCredentials } from "../auth/live-credentials.js";
import { newSecret } from "../auth/sign-in.js";
import { type Actor, By } from "../http/actor.js";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { invalidInput } from "../http/parse-input.js";
import { ACCESS, DB, AUTHENTICATOR, LIVE } from "../parts.js";

const tokensMax = 500;

/** Makes, lists and revokes named tokens. */
@Controller()
export class TokensController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(ACCESS) private readonly policy: AccessPolicy,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(LIVE) private readonly live: LiveCredentials,
  ) {}

  @Handles("listTokens")
  async list(): Promise<Response<"listTokens">> {
    return { items: await selectTokens(this.db), root: this.policy.token !== null };
  }

  @Handles("createToken")
  async create(
    @Parsed() { body }: Input<"createToken">,
    @By() actor: Actor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<Response<"createToken">> {
    const { name, role, expires_at: expiresAt } = body;
    if (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
      throw invalidInput([{ path: "body.expires_at", message: "lies in the past" }]);
    const wasOpen = await this.authenticator.isOpen();
    const secret = `${tokenPrefix}${newSecret()}`;
    const made = await this.db.transaction(async (tx) => {
      await lockTokens(tx);
      const { kept, admins } = await countTokens(tx);
      if (kept >= tokensMax)
        throw new AppError("conflict", `There are ${tokensMax} tokens already. Revoke some first.`);
      if (role !== "admin" && admins === 0 && !this.hasOtherAdmins())
        throw new AppError(
          "conflict",
          "The first token has to be one of an admin: from then on everything here asks for a token, and somebody has to be able to make more.",
        );
      return insertToken(tx, { name, role, expiresAt, madeBy: actor.name, secret });
    });
    response.setHeader("Cache-Control", "no-store");
    this.live.spare(request);
    this.live.endEverywhere(wasOpen ? [anybodysCredential] : [], true);
    return { ...made, token: secret };
  }

  @Handles("revokeToken")
  async revoke(
    @Parsed() { params }: Input<"revokeToken">,
    @By() actor: Actor,
    @Req() request: Request,
  ): Promise<Response<"revokeToken">> {
    const revoked = await this.db.transaction(async (tx) => {
      await lockTokens(tx);
      const token = await revokeToken(tx, params.id, actor.name);
      if (token === null) throw notFound("token", params.id);
      await this.requireWayIn(tx);
      return token;
    });
    this.live.spare(request);
    this.live.endEverywhere([revoked.id], true);
    return revoked;
  }

  /** Refuses to revoke the last token of an admin where that would lock everybody out, or open everything to the network. */
  private async requireWayIn(tx: Queryable): Promise<void> {
    if (this.hasOtherAdmins()) return;
    const { kept, admins } = await countTokens(tx);
    if (admins > 0) return;
    if (kept > 0)
      throw new AppError(
        "conflict",
        "This is the last token of an admin: nobody could make or revoke tokens any more. Make another one first, or revoke the others before it.",
      );
    if (!isLoopback(this.policy.host))
      throw new AppError(
        "conflict",
        `This is the last token: without any, whoever reaches ${this.policy.host} could do everything. Make another one first, or set API_TOKEN.`,
      );
  }

  private hasOtherAdmins(): boolean {
    return this.policy.token !== null || this.policy.hasProvider;
  }
}
