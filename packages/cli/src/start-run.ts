import { Refused } from "./client.js";
import { followRun, tell } from "./progress.js";
import type { Session } from "./session.js";

/**
 * Starts a crawl or a Fetch All. If one of the same kind is already running, for example by a schedule, waits for it and then starts a new
 * one, because it may have visited pages before the present state of the site.
 * @param what the work in a word, for progress
 * @returns the run, which is cancelled when the program is interrupted; null when there are no pages
 * @throws CannotRun
 */
export async function startRun(
  session: Session,
  name: "crawl" | "snapshotAll",
  objectId: string,
  what: string,
): Promise<string | null> {
  const call = await session.call();
  for (;;) {
    try {
      const { runId } = await call(name, { params: { id: objectId } });
      session.onRun(runId);
      return runId;
    } catch (error) {
      const other = error instanceof Refused ? error.inTheWay : null;
      if (other === null || other.kind !== (name === "crawl" ? "crawl" : "snapshot-all")) throw error;
      await followOther(session, other.runId, what);
    }
  }
}

/** Waits for a run that somebody else started, and that is not cancelled with this program. @param what the work in a word, for progress */
export async function followOther(session: Session, runId: string, what: string): Promise<void> {
  tell(session.progress, `${what}: waits for one that goes on`, true);
  await followRun(await session.call(), runId, `${what} that goes on`, session.progress, session.signal);
}
