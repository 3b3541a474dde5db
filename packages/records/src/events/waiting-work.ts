import type { Database } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";

/** The kinds of work for the watcher, and whether any of each waits now. */
export interface WaitingWork {
  /** A schedule whose time has come. */
  due: boolean;
  /** A run that ended and was not told, or a message that is to be sent. */
  telling: boolean;
  /** A run that has ended and was not reported, or a message that is due. */
  looks: boolean;
  /** A run with pages that have to be looked at again. */
  noise: boolean;
  /** An object whose noise has to be determined. */
  removals: boolean;
}

/* Each is one lookup in an index that is empty while nothing waits. */
const select = prepared(`
  SELECT
    EXISTS (SELECT 1 FROM schedule WHERE begins_at <= now()) AS due,
    EXISTS (SELECT 1 FROM run WHERE NOT told AND state <> 'running')
      OR EXISTS (SELECT 1 FROM delivery WHERE state IN ('gathering', 'queued', 'sending') AND next_at <= now()) AS telling,
    EXISTS (SELECT 1 FROM run WHERE look = 'wanted' AND look_at <= now()) AS looks,
    EXISTS (SELECT 1 FROM test_object WHERE noise_state IN ('due', 'again')) AS noise,
    EXISTS (SELECT 1 FROM removal WHERE due_at <= now()) AS removals`);

/** Checks all kinds in one statement, because an idle product does it all the time, for years. */
export async function selectWaitingWork(db: Database): Promise<WaitingWork> {
  const [row] = await db.query<{ [Kind in keyof WaitingWork]: boolean }>(select);
  return row ?? { due: false, telling: false, looks: false, noise: false, removals: false };
}
