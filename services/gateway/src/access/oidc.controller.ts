import { Controller, Get, Inject, Req, Res } from "@nestjs/common";
import { AppError, type ErrorCode } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { Request, Response } from "express";
import { z } from "zod";
import type { AccessPolicy } from "../auth/access.js";
import type { Audit } from "../auth/audit.js";
import { setCookie } from "../auth/cookie.js";
import { cookieOf } from "../auth/credentials.js";
import type { Pending, Provider } from "../auth/oidc.js";
import { beginSignIn } from "../auth/sign-in.js";
import { publicAddress } from "../http/public-address.js";
import { Public } from "../http/public.js";
import { ACCESS, AUDIT, DB, type GatewayOptions, LOG, OPTIONS, PROVIDER, SECRETS } from "../parts.js";

const waySeconds = 600;
const sealContext = "the way to the identity provider";
const pending = z.object({
  ...{ state: z.string(), nonce: z.string(), verifier: z.string(), redirectUri: z.url(), returnTo: z.string() },
  endsAt: z.number(),
});

/** Signs people in at an identity provider: the two addresses that a browser visits before and after the provider. */
@Controller()
export class OidcController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
    @Inject(SECRETS) private readonly secrets: SecretBox,
    @Inject(ACCESS) private readonly policy: AccessPolicy,
    @Inject(AUDIT) private readonly audit: Audit,
    @Inject(PROVIDER) private readonly provider: Provider | null,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  @Get("/auth/sign-in")
  @Public()
  async begin(@Req() request: Request, @Res() response: Response): Promise<void> {
    const provider = this.require();
    const redirectUri = `${this.addressFor(request)}/auth/callback`;
    try {
      const { url, pending: made } = await provider.begin(redirectUri, screenOf(request.query["return"]));
      this.remember(response, made);
      response.redirect(302, url.href);
    } catch (error) {
      this.fail(response, error);
    }
  }

  @Get("/auth/callback")
  @Public()
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    const provider = this.require();
    const kept = this.recall(request);
    // deletes the cookies: what they hold is good for one return from the provider only
    for (const name of this.cookieNames)
      response.append(
        "Set-Cookie",
        setCookie(name, "", { maxAgeSeconds: 0, isSecure: name.startsWith("__"), sameSite: "Lax" }),
      );
    try {
      if (kept === null)
        throw new AppError(
          "unauthorized",
          "This sign-in was not begun in this browser, or took longer than ten minutes. Begin again.",
        );
      const { searchParams } = new URL(request.originalUrl, kept.redirectUri);
      const person = await provider.finish(searchParams, kept);
      const until = new Date(Date.now() + this.options.sessionMs);
      const by = { role: person.role, personId: person.id };
      const isSecure = kept.redirectUri.startsWith("https:");
      await beginSignIn(this.db, response, this.policy.cookies, { by, name: person.name, until, isSecure });
      await this.audit.noteSignIn(request, person);
      response.redirect(303, kept.returnTo);
    } catch (error) {
      this.fail(response, error);
    }
  }

  private require(): Provider {
    if (this.provider === null)
      throw new AppError("not_found", "There is no identity provider here. Sign in with a token.");
    return this.provider;
  }

  /** People read on a screen why it failed; the causes go to the log only, and hold neither codes nor tokens. */
  private fail(response: Response, error: unknown): void {
    const code: ErrorCode = error instanceof AppError ? error.code : "internal";
    const cause = error instanceof AppError && error.cause instanceof Error ? error.cause : error;
    this.log.warn({ code, reason: reasonOf(cause).slice(0, 300) }, "a sign-in at the identity provider failed");
    response.redirect(303, `/sign-in?failed=${code}`);
  }

  private get cookieNames(): [plain: string, overTls: string] {
    const { plain, overTls } = this.policy.cookies;
    return [`${plain}-way`, `${overTls}-way`];
  }

  private remember(response: Response, made: Pending): void {
    const isSecure = made.redirectUri.startsWith("https:");
    const endsAt = Date.now() + waySeconds * 1_000;
    const sealed = this.secrets.seal(JSON.stringify({ ...made, endsAt }), sealContext).toString("base64url");
    const name = this.cookieNames[isSecure ? 1 : 0];
    // the provider's redirect back comes from another site, and browsers would not send a `Strict` cookie with it
    response.append("Set-Cookie", setCookie(name, sealed, { maxAgeSeconds: waySeconds, isSecure, sameSite: "Lax" }));
    response.setHeader("Cache-Control", "no-store");
  }

  private recall(request: Request): Pending | null {
    const sealed = cookieOf(request.headers.cookie, this.cookieNames);
    if (sealed === null) return null;
    try {
      const parsed = pending.parse(JSON.parse(this.secrets.open(Buffer.from(sealed, "base64url"), sealContext)));
      return parsed.endsAt > Date.now() ? parsed : null;
    } catch {
      return null;
    }
  }

  private addressFor(request: Request): string {
    if (this.options.hasPublicUrl) return this.options.publicUrl;
    const { host, port, tls } = publicAddress(request.headers, request.socket.localPort ?? 80);
    const isDefault = port === (tls ? 443 : 80);
    return `${tls ? "https" : "http"}://${host}${isDefault ? "" : `:${port}`}`;
  }
}

/** What a library says of a failure, with what it names as its cause in fixed words; other causes may quote an answer with a token. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { name, message, cause } = failure;
  const isFixed = cause instanceof AppError || (cause instanceof Error && cause.name === "OperationProcessingError");
  return `${name}: ${message}${isFixed ? ` (${cause.message})` : ""}`;
}

/** Returns the screen of the product to come back to; `/` for any other address. */
function screenOf(asked: unknown): string {
  if (typeof asked !== "string" || !/^\/(?![/\\])[\x21-\x7e]*$/.test(asked) || asked.length > 2_000) return "/";
  const path = new URL(asked, "http://x").pathname;
  return /^\/(api|ws|auth|feeds|sign-in)(\/|$)/i.test(path) ? "/" : asked;
}
