import { done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { hasSuspects, type LeasedTable } from "@web-tester/records/leases/leased-rows";

/**
 * How soon a message comes back when its suspect rows have to wait for others of this process, or for the rest of their
 * message.
 */
const againInMs = 1_000;

interface Apart<Row> {
  db: Database;
  table: LeasedTable;
  ids: readonly string[];
  /** @param alone claims one suspect row and nothing else */
  claim(alone: boolean): Promise<Row[]>;
  /** Works on rows that are claimed. */
  work(claimed: Row[]): Promise<Outcome>;
}

export type WorkApart = <Row>(message: Apart<Row>) => Promise<Outcome>;

/**
 * Works on the rows of a message together, except for those whose workers died again and again ("suspect"). These come
 * last, one at a time in the whole process: if it dies once more, only the row that was worked on alone comes nearer to
 * being given up, so a page that brings workers down does not take its neighbours with it.
 */
export function createWorkApart(): WorkApart {
  let isBusy = false;

  async function oneAlone<Row>({ claim, work }: Apart<Row>): Promise<Outcome> {
    isBusy = true;
    try {
      const claimed = await claim(true);
      return claimed.length === 0 ? done : await work(claimed);
    } finally {
      isBusy = false;
    }
  }

  return async (message) => {
    const { db, table, ids } = message;
    const together = await message.claim(false);
    if (together.length === ids.length) return message.work(together);
    if (together.length > 0) {
      const outcome = await message.work(together);
      return outcome.done && (await hasSuspects(db, table, ids)) ? { done: false, retryInMs: againInMs } : outcome;
    }
    if (!(await hasSuspects(db, table, ids))) return done;
    if (isBusy) return { done: false, retryInMs: againInMs };
    const outcome = await oneAlone(message);
    return outcome.done && (await hasSuspects(db, table, ids)) ? { done: false, retryInMs: againInMs / 10 } : outcome;
  };
}
