import { setTimeout as wait } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { AppError } from "@web-tester/contracts/errors";
import { loginContext, sessionContext, type StoredLogin, storedLogin } from "@web-tester/contracts/login-steps";
import { budgets } from "@web-tester/contracts/limits";
import type { BrowserPool } from "@web-tester/loader/browser/browser-pool";
import { type FollowedStep, signIn } from "@web-tester/loader/browser/sign-in";
import { visitorOf } from "@web-tester/loader/browser/visitor";
import { type SessionState, sessionState } from "@web-tester/loader/session-state";
import type { Database } from "@web-tester/platform/database/database";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import { coalesceRuns } from "@web-tester/platform/lifecycle/coalesce";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { selectLogin } from "@web-tester/records/objects/update-object";
import { claimSession, findSession, recordSession } from "@web-tester/records/sessions/site-sessions";
import { selectAccess } from "./select-access.sql.js";

/** A session with its version, which tells it from the other sessions of its object. */
export interface KnownSession {
  version: number;
  state: SessionState;
}

/** Sessions at sites that require a login: one for each round of an object, shared by all replicas. */
export interface SiteSessions {
  /**
   * Returns the session of a round; signs in where nobody has yet.
   * @throws AppError login_failed with a readable message; unavailable where that takes too long
   */
  of(objectId: string, round: string): Promise<KnownSession>;
  /** Returns a new session in place of one that the site no longer accepts. @throws as `of` */
  renew(objectId: string, round: string, expired: number): Promise<KnownSession>;
  /**
   * Signs in for a test, with a picture after each step, and keeps no session. @throws AppError not_found, browser_unavailable
   */
  attempt(objectId: string): Promise<FollowedStep[]>;
}

interface SessionDeps {
  db: Database;
  secrets: SecretBox;
  pool: BrowserPool;
  signal: AbortSignal;
}

/** The most time that signing in takes; after it another fetcher takes over from one that died meanwhile. */
const signInMs = 90_000;
const lookEveryMs = 300;
const remembered = 200;

export function createSiteSessions(deps: SessionDeps): SiteSessions {
  return new SharedSessions(deps);
}

class SharedSessions implements SiteSessions {
  readonly #known = new LRUCache<string, KnownSession>({ max: remembered });
  readonly #share = coalesceRuns();

  constructor(private readonly deps: SessionDeps) {}

  async of(objectId: string, round: string): Promise<KnownSession> {
    return (
      this.#known.get(`${objectId} ${round}`) ??
      this.#share(`${objectId} ${round}`, () => this.#get(objectId, round, null))
    );
  }

  renew(objectId: string, round: string, expired: number): Promise<KnownSession> {
    return this.#share(`${objectId} ${round} ${expired}`, () => {
      this.#known.delete(`${objectId} ${round}`);
      return this.#get(objectId, round, expired);
    });
  }

  async attempt(objectId: string): Promise<FollowedStep[]> {
    return (await this.#run(objectId, true)).followed;
  }

  /** Waits for a session other than the expired one, or signs in. */
  async #get(objectId: string, round: string, expired: number | null): Promise<KnownSession> {
    const { db, secrets, signal } = this.deps;
    const end = performance.now() + 2 * signInMs;
    while (performance.now() < end) {
      signal.throwIfAborted();
      const found = await findSession(db, objectId, round);
      if (found !== null && found.version !== expired) {
        if (found.stateSealed === null) throw failed(found.problem ?? "for a reason that was not kept");
        const text = secrets.open(found.stateSealed, sessionContext(objectId));
        const session = { version: found.version, state: sessionState.parse(JSON.parse(text)) };
        this.#known.set(`${objectId} ${round}`, session);
        return session;
      }
      if (await claimSession(db, objectId, round, signInMs, expired)) await this.#make(objectId, round);
      else await wait(lookEveryMs);
    }
    throw new AppError("unavailable", "Somebody else was signing in at the site, and did not come to an end.");
  }

  async #make(objectId: string, round: string): Promise<void> {
    const { db, secrets } = this.deps;
    const { followed, state } = await this.#run(objectId, false).catch((error: unknown) => {
      if (error instanceof AppError && error.code !== "cancelled")
        return { followed: [{ ok: false, message: error.message, url: "", picture: null }], state: null };
      throw error;
    });
    const fault = followed.findIndex(({ ok }) => !ok);
    const problem = fault === -1 ? null : `step ${fault + 1}: ${followed[fault]?.message ?? "it failed"}`;
    const stateSealed = state === null ? null : secrets.seal(JSON.stringify(state), sessionContext(objectId));
    await recordSession(db, objectId, round, { stateSealed, problem });
  }

  async #run(objectId: string, withPictures: boolean) {
    const { db, pool, signal } = this.deps;
    const [access, steps] = await Promise.all([selectAccess(db, objectId), this.#loginOf(objectId)]);
    if (access === null || steps.length === 0) throw new AppError("not_found", "The test object has no login steps.");
    const visitor = visitorOf(access.visit);
    return pool.withPage(
      {
        owner: `login ${objectId}`,
        turnOf: objectId,
        visitor,
        deadlineMs: signInMs - 10_000,
        signal,
        grant: {
          consent: consentFor(new URL(access.objectUrl)),
          maxBytes: budgets.pageMaxBytes,
          onOverBudget: () => undefined,
          enter: async () => () => undefined,
        },
      },
      (tab) => signIn(tab, steps, { visitor, withPictures }),
    );
  }

  async #loginOf(objectId: string): Promise<StoredLogin> {
    const { db, secrets } = this.deps;
    const sealed = await selectLogin(db, objectId);
    return sealed === null ? [] : storedLogin.parse(JSON.parse(secrets.open(sealed, loginContext(objectId))));
  }
}

function failed(problem: string): AppError {
  return new AppError(
    "login_failed",
    `The product could not sign in at the site, ${problem} Try the login in the object's options.`,
  );
}
