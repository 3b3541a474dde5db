import { Refused } from "./client.js";
import { followRun, tell } from "./progress.js";
import type { Session } from "./session.js";

/**
 * Starts a crawl or a fetch of all pages. One of the same kind that goes on, as of a schedule, is waited for first: what it looked at before now is not
 * what this one is to see.
 * @param what the work in a word, for progress
 * @returns the run, which is stopped with the program; null where there are no pages
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

/** Waits for a run that somebody else began, and which goes on when the program is ended. @param what the work in a word, for progress */
export async function followOther(session: Session, runId: string, what: string): Promise<void> {
  tell(session.progress, `${what}: waits for one that goes on`, true);
  await followRun(await session.call(), runId, `${what} that goes on`, session.progress, session.signal);
}
