import { LRUCache } from "lru-cache";
import { sessionContext } from "@web-tester/contracts/login-steps";
import { questions } from "@web-tester/contracts/messages";
import { type SessionState, sessionState } from "@web-tester/loader/session-state";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { coalesceRuns } from "@web-tester/platform/lifecycle/coalesce";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import { findSession } from "@web-tester/records/sessions/site-sessions";

/**
 * The sessions of crawls at sites that require a login: a fetcher signs in, once for each crawl, and again where a session
 * ends during it.
 */
export interface CrawlSessions {
  /** Returns the session for a page's crawl. */
  of(page: ClaimedPage): Promise<CrawlSession>;
  /**
   * Returns a new session in place of one that the site no longer accepts; null where that was done so often that it seems
   * to be of no use.
   */
  renew(page: ClaimedPage, expired: CrawlSession): Promise<CrawlSession | null>;
  /** Loads a page while other pages of the same crawl may be loading. */
  beside<Result>(page: ClaimedPage, load: () => Promise<Result>): Promise<Result>;
  /**
   * Loads a page while this process loads no other page of the same crawl: a page that ends the session would end it for
   * those, too.
   */
  alone<Result>(page: ClaimedPage, load: () => Promise<Result>): Promise<Result>;
}

/** `state` is null where no session is needed, or signing in failed; `problem` says why, as a sentence. */
export interface CrawlSession {
  state: SessionState | null;
  /** Tells this session from the crawl's other ones. */
  version: number;
  problem: string | null;
}

const remembered = 100;
/** How often this process renews the session of one crawl: more than this, and the site has too many links that end sessions. */
const renewalsMax = 20;
const none: CrawlSession = { state: null, version: 0, problem: null };

interface SessionDeps {
  db: Database;
  bus: Pick<Bus, "ask">;
  secrets: SecretBox;
}

export function createCrawlSessions(deps: SessionDeps): CrawlSessions {
  const known = new LRUCache<string, CrawlSession>({ max: remembered });
  const renewals = new LRUCache<string, number>({ max: remembered });
  const share = coalesceRuns();
  const lanes = new LRUCache<string, Lane>({ max: remembered });
  const laneOf = ({ runId }: ClaimedPage): Lane => {
    const lane = lanes.get(runId) ?? new Lane();
    lanes.set(runId, lane);
    return lane;
  };

  async function find({ objectId, runId }: ClaimedPage, expired?: number): Promise<CrawlSession> {
    const found = await askForSession(deps, { objectId, runId, expired });
    if (found.state !== null) known.set(runId, found);
    return found;
  }

  return {
    async of(page) {
      if (!page.visit.signsIn) return none;
      return known.get(page.runId) ?? share(page.runId, () => find(page));
    },
    async renew(page, { version }) {
      const { runId } = page;
      const newer = known.get(runId);
      if (newer !== undefined && newer.version !== version) return newer;
      return share(`${runId} ${version}`, async () => {
        const before = renewals.get(runId) ?? 0;
        if (before >= renewalsMax) return null;
        renewals.set(runId, before + 1);
        return find(page, version);
      });
    },
    beside: (page, load) => laneOf(page).beside(load),
    alone: (page, load) => laneOf(page).alone(load),
  };
}

/** Asks a fetcher to sign in, and reads the session that it stored. */
async function askForSession(
  { db, bus, secrets }: SessionDeps,
  { objectId, runId, expired }: { objectId: string; runId: string; expired: number | undefined },
): Promise<CrawlSession> {
  const { subject, timeoutMs, reply } = questions.signIn;
  const { problem } = reply.parse(await bus.ask(subject, { objectId, round: runId, expired }, timeoutMs));
  const session = problem === null ? await findSession(db, objectId, runId) : null;
  if (session?.stateSealed == null)
    return { ...none, problem: problem ?? session?.problem ?? "The session of this crawl is gone." };
  const text = secrets.open(session.stateSealed, sessionContext(objectId));
  return { state: sessionState.parse(JSON.parse(text)), version: session.version, problem: null };
}

/** Schedules the loads of one crawl in this process. */
class Lane {
  readonly #loading = new Set<Promise<unknown>>();
  #alone: Promise<void> | null = null;

  async beside<Result>(load: () => Promise<Result>): Promise<Result> {
    while (this.#alone !== null) await this.#alone;
    const work = load();
    this.#loading.add(work);
    try {
      return await work;
    } finally {
      this.#loading.delete(work);
    }
  }

  async alone<Result>(load: () => Promise<Result>): Promise<Result> {
    while (this.#alone !== null) await this.#alone;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#alone = promise;
    try {
      await Promise.allSettled(this.#loading);
      return await load();
    } finally {
      this.#alone = null;
      resolve();
    }
  }
}
