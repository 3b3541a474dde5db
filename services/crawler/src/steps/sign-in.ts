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

/** Sessions of crawls at sites where one has to sign in: a fetcher signs in, once for each crawl. */
export interface CrawlSessions {
  /** The session for a page's crawl; null where none is needed. `problem`: why nobody could sign in, in words. */
  of(page: ClaimedPage): Promise<{ state: SessionState | null; problem: string | null }>;
}

type Found = Awaited<ReturnType<CrawlSessions["of"]>>;

const remembered = 100;
const none: Found = { state: null, problem: null };

export function createCrawlSessions({
  db,
  bus,
  secrets,
}: {
  db: Database;
  bus: Pick<Bus, "ask">;
  secrets: SecretBox;
}): CrawlSessions {
  const known = new LRUCache<string, Found>({ max: remembered });
  const share = coalesceRuns();

  async function find({ objectId, runId }: ClaimedPage): Promise<Found> {
    const { subject, timeoutMs, reply } = questions.signIn;
    const { problem } = reply.parse(await bus.ask(subject, { objectId, round: runId }, timeoutMs));
    const session = problem === null ? await findSession(db, objectId, runId) : null;
    if (session?.stateSealed == null)
      return { state: null, problem: problem ?? session?.problem ?? "The session of this crawl is gone." };
    const text = secrets.open(session.stateSealed, sessionContext(objectId));
    const found = { state: sessionState.parse(JSON.parse(text)), problem: null };
    known.set(runId, found);
    return found;
  }

  return {
    async of(page) {
      if (!page.visit.signsIn) return none;
      return known.get(page.runId) ?? share(page.runId, () => find(page));
    },
  };
}
