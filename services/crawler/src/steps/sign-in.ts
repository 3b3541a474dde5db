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

/** Sessions of crawls at sites where one has to sign in: a fetcher signs in, once for each crawl, and again where a session ends in its middle. */
export interface CrawlSessions {
  /** The session for a page's crawl. */
  of(page: ClaimedPage): Promise<CrawlSession>;
  /** Another one in place of one that the site does not know any more; null where that was done so often that it seems to be of no use. */
  renew(page: ClaimedPage, expired: CrawlSession): Promise<CrawlSession | null>;
  /** Loads beside other pages of the same crawl. */
  beside<Result>(page: ClaimedPage, load: () => Promise<Result>): Promise<Result>;
  /** Loads while this process loads no other page of the same crawl: one that ends the session would end it for those, too. */
  alone<Result>(page: ClaimedPage, load: () => Promise<Result>): Promise<Result>;
}

/** `state` is null where none is needed, or nobody could sign in; `problem` says why, in words. */
export interface CrawlSession {
  state: SessionState | null;
  /** Says which of a crawl's it is. */
  version: number;
  problem: string | null;
}

const remembered = 100;
/** Sessions of one crawl that this process has had renewed: a site with more links that end them gets no more. */
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

/** Has a fetcher sign in, and reads the session that it stored. */
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

/** Loads of one crawl in this process. */
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
