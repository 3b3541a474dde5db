import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import { type EndedShare, findEndedShare, findShare, touchShare } from "@web-tester/records/shares/shares";
import { findSignIn, type LiveSignIn, selectLive } from "@web-tester/records/sign-ins/sign-ins";
import { countTokens, findToken, touchToken } from "@web-tester/records/tokens/tokens";
import { LRUCache } from "lru-cache";
import type { Actor, Sign } from "../http/actor.js";
import type { AccessPolicy } from "./access.js";
import { cookieOf, headerSecrets, protocolSecret, secretKind } from "./credentials.js";
import { anybodysCredential } from "./live-credentials.js";
import { readSigned, signWith } from "./signed-address.js";

/** The parts of a request that identify its caller. `url`: as it was asked for, query included. */
export interface Shown {
  method?: string | undefined;
  url: string;
  headers: IncomingHttpHeaders;
  address: string;
}

const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const openForMs = 1_000;
const touchEveryMs = 60_000;
const noCapability = { share: null, isSigned: false } as const;

/** Identifies callers. */
export class Authenticator {
  private closed: { isClosed: boolean; at: number } | null = null;
  /** The question that is under way: all who ask meanwhile share it, so that a slow database is asked once and not by every request. */
  private asking: Promise<boolean> | null = null;
  private readonly touched = new LRUCache<string, true>({ max: 10_000, ttl: touchEveryMs });
  private readonly rootDigest: Buffer | null;
  /** A keyed digest (HMAC) of API_TOKEN that is stored with sign-ins: it tells readers of the database nothing about the token. */
  readonly rootMark: Buffer | null;

  constructor(
    private readonly policy: AccessPolicy,
    private readonly db: Database,
    signInKey: Buffer,
    private readonly now: () => number = Date.now,
  ) {
    this.rootDigest = policy.token === null ? null : hash("sha256", policy.token, "buffer");
    this.rootMark = policy.token === null ? null : createHmac("sha256", signInKey).update(policy.token).digest();
  }

  /**
   * Whether everything is answered without a token: none is configured, none was made that is not revoked, and there is no identity
   * provider. An expired token still counts, so that time alone never opens anything.
   */
  async isOpen(): Promise<boolean> {
    if (this.policy.token !== null || this.policy.hasProvider) return false;
    // where the clock was put back, what was learned "later" is as old as anybody may think
    const ageMs = this.closed === null ? Infinity : this.now() - this.closed.at;
    if (this.closed !== null && ageMs >= 0 && ageMs <= openForMs) return !this.closed.isClosed;
    this.asking ??= this.askWhetherClosed();
    return !(await this.asking);
  }

  /** Tokens were made or revoked: what was asked before does not count any more. */
  forget(): void {
    this.closed = null;
    this.asking = null;
  }

  private askWhetherClosed(): Promise<boolean> {
    const asking: Promise<boolean> = countTokens(this.db)
      .then(({ kept }) => {
        if (this.asking === asking) this.closed = { isClosed: kept > 0, at: this.now() };
        return kept > 0;
      })
      .finally(() => {
        if (this.asking === asking) this.asking = null;
      });
    return asking;
  }

  /**
   * Identifies who sends a request. The secret of a share link gives what the link shows, also where nobody needs a token: the link
   * looks the same to everybody.
   * @returns null where nothing that was sent lets anybody in. @throws AppError forbidden_origin
   */
  async identify(shown: Shown): Promise<Actor | null> {
    const secrets = headerSecrets(shown.headers, this.policy.tokenHeader);
    const isLink = secrets.some((secret) => secretKind(secret) === "share");
    if (!isLink && (await this.isOpen())) return anybody(shown.address);
    for (const secret of secrets) {
      const actor = await this.bySecret(secret);
      if (actor !== null) return actor;
    }
    const isReading = readingMethods.has(shown.method ?? "");
    if (isReading) {
      const signed = await this.bySignature(shown.url);
      if (signed !== null) return signed;
    }
    // a token that a program sends on purpose counts alone: if it is wrong, cookies are not tried
    return secrets.length > 0 ? null : this.byCookie(shown.headers, isReading);
  }

  /** Why the share link that was sent opens nothing any more; null where none was sent, or one that never existed. */
  async whyEnded(headers: IncomingHttpHeaders): Promise<EndedShare | null> {
    const secret = headerSecrets(headers, this.policy.tokenHeader).find((each) => secretKind(each) === "share");
    return secret === undefined ? null : findEndedShare(this.db, secret);
  }

  /** Identifies who opens a websocket; browsers send a token among the subprotocols. */
  async identifySocket(shown: Shown): Promise<Actor | null> {
    if (await this.isOpen()) return anybody(shown.address);
    const offered = protocolSecret(shown.headers["sec-websocket-protocol"]);
    const secrets = [...headerSecrets(shown.headers, this.policy.tokenHeader), ...(offered === null ? [] : [offered])];
    for (const secret of secrets) {
      const actor = await this.bySecret(secret);
      if (actor !== null) return actor.share === null ? actor : null;
    }
    return secrets.length > 0 ? null : this.byCookie(shown.headers, false);
  }

  /** The owner of a token, of API_TOKEN or of a share link's secret. */
  async bySecret(secret: string): Promise<Actor | null> {
    if (this.rootDigest !== null && timingSafeEqual(hash("sha256", secret, "buffer"), this.rootDigest))
      return this.root();
    const kind = secretKind(secret);
    if (kind === "token") return this.byToken(secret);
    return kind === "share" ? this.byShare(secret) : null;
  }

  private async byToken(secret: string): Promise<Actor | null> {
    const token = await findToken(this.db, secret);
    if (token === null) return null;
    this.touch(token.id, touchToken);
    const { id, name, role, expiresAt } = token;
    return {
      ...{
        kind: "token",
        name,
        role,
        ownerId: id,
        credentials: [id],
        sign: this.sign(id),
        signedIn: false,
        until: expiresAt,
      },
      ...noCapability,
    };
  }

  private async byShare(secret: string): Promise<Actor | null> {
    const share = await findShare(this.db, secret);
    if (share === null) return null;
    this.touch(share.id, touchShare);
    const { id, expiresAt, ...capability } = share;
    return {
      ...{
        kind: "share",
        name: `a link of ${share.madeBy}`,
        role: "viewer",
        ownerId: null,
        credentials: [id],
        sign: this.sign(id),
      },
      ...{ signedIn: false, until: expiresAt, share: capability, isSigned: false },
    };
  }

  private async byCookie(headers: IncomingHttpHeaders, isReading: boolean): Promise<Actor | null> {
    const secret = cookieOf(headers.cookie, Object.values(this.policy.cookies));
    if (secret === null) return null;
    // browsers say which site's page asks; without these headers nothing proves that it was ours
    if (!isReading && headers.origin === undefined && headers["sec-fetch-site"] !== "same-origin")
      throw new AppError(
        "forbidden_origin",
        "A signed-in browser can make changes only from the product's own pages. Programs must send a token: “Authorization: Bearer <token>”.",
      );
    const signIn = await findSignIn(this.db, secret);
    return signIn === null ? null : this.actorOfSignIn(signIn);
  }

  private actorOfSignIn({ id, tokenId, personId, rootMark, name, role, expiresAt }: LiveSignIn): Actor | null {
    const base = { credentials: [id, ...(tokenId === null ? [] : [tokenId])], sign: this.sign(id), signedIn: true };
    if (tokenId !== null) this.touch(tokenId, touchToken);
    if (rootMark !== null) {
      if (this.rootMark === null || !timingSafeEqual(rootMark, this.rootMark)) return null;
      return { ...this.root(), ...base, until: expiresAt };
    }
    if (role === null) return null;
    // after the identity provider was removed from the settings, its sign-ins no longer count
    if (tokenId === null && !this.policy.hasProvider) return null;
    const kind = tokenId === null ? "person" : "token";
    return { kind, name, role, ownerId: tokenId ?? personId, until: expiresAt, ...base, ...noCapability };
  }

  private async bySignature(url: string): Promise<Actor | null> {
    const signed = readSigned(url, this.policy.signingKey, this.now());
    if (signed === null) return null;
    if (signed.by !== null && !(await selectLive(this.db, [signed.by])).has(signed.by)) return null;
    return {
      ...{ kind: "root", name: "a signed address", role: "viewer", ownerId: null, sign: this.sign(signed.by) },
      ...{
        credentials: signed.by === null ? [] : [signed.by],
        signedIn: false,
        until: null,
        share: null,
        isSigned: true,
      },
    };
  }

  private root(): Actor {
    return {
      ...{ kind: "root", name: "API_TOKEN", role: "admin", ownerId: null, credentials: [], sign: this.sign(null) },
      ...{ signedIn: false, until: null, ...noCapability },
    };
  }

  private sign(by: string | null): Sign {
    return signWith(this.policy.signingKey, by);
  }

  /** Notes that a credential was used, at most once a minute for each, without anybody waiting for it. */
  private touch(id: string, write: (db: Database, id: string) => Promise<void>): void {
    if (this.touched.has(id)) return;
    this.touched.set(id, true);
    void write(this.db, id).catch(() => this.touched.delete(id));
  }
}

function anybody(address: string): Actor {
  return {
    ...{ kind: "anybody", name: address, role: "admin", ownerId: null, credentials: [anybodysCredential] },
    ...{ sign: (path) => path, signedIn: false, until: null, ...noCapability },
  };
}
