import type { Database } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";

/** What there may be to do for whoever watches: kinds of work of which something waits now. */
export interface WaitingWork {
  /** A schedule whose time has come. */
  due: boolean;
  /** A run that ended and was not told, or a message that is to be sent. */
  telling: boolean;
  /** A run of which pages are to be looked at again. */
  looks: boolean;
  /** An object of which noise is to be looked for some time. */
  noise: boolean;
  /** A deletion that can no longer be undone. */
  removals: boolean;
}

/* Each is one look at an index that holds nothing while nothing waits. */
const select = prepared(`
  SELECT
    EXISTS (SELECT 1 FROM schedule WHERE begins_at <= now()) AS due,
    EXISTS (SELECT 1 FROM run WHERE NOT told AND state <> 'running')
      OR EXISTS (SELECT 1 FROM delivery WHERE state IN ('gathering', 'queued', 'sending') AND next_at <= now()) AS telling,
    EXISTS (SELECT 1 FROM run WHERE look = 'wanted' AND look_at <= now()) AS looks,
    EXISTS (SELECT 1 FROM test_object WHERE noise_state IN ('due', 'again')) AS noise,
    EXISTS (SELECT 1 FROM removal WHERE due_at <= now()) AS removals`);

/** Looks for all of it in one question, as an idle product asks it all the time for years. */
export async function selectWaitingWork(db: Database): Promise<WaitingWork> {
  const [row] = await db.query<{ [Kind in keyof WaitingWork]: boolean }>(select);
  return row ?? { due: false, telling: false, looks: false, noise: false, removals: false };
}
