import { done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { type LeasedTable, type LeftOut, whatIsLeftOut } from "@web-tester/records/leases/leased-rows";

/** How soon a message is delivered again if its suspect rows have to wait for others of this process, or for the remaining rows of their message. */
const againInMs = 1_000;
/**
 * A message whose rows another worker holds is delivered again after this time at the latest: a clock that was ahead may have given a lease
 * of a year, and a message that waits for its end would not come any sooner when that lease is ended.
 */
const heldMaxMs = 30_000;

interface Apart<Row> {
  db: Database;
  table: LeasedTable;
  ids: readonly string[];
  /** @param alone claims one suspect row and nothing else */
  claim(alone: boolean): Promise<Row[]>;
  /** Works on claimed rows. */
  work(claimed: Row[]): Promise<Outcome>;
}

export type WorkApart = <Row>(message: Apart<Row>) => Promise<Outcome>;

/**
 * Creates a function that works on the rows of a message together, except for those whose workers died repeatedly ("suspect"). These come
 * last, one at a time in the whole process: if it dies once more, only the row that was worked on alone comes nearer to being given up, so
 * a page that crashes workers does not take its neighbours with it.
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
      return outcome.done ? untilNoneIsLeft(await whatIsLeftOut(db, table, ids), againInMs) : outcome;
    }
    const left = await whatIsLeftOut(db, table, ids);
    if (!left.hasSuspects || isBusy) return untilNoneIsLeft(left, againInMs);
    const outcome = await oneAlone(message);
    return outcome.done ? untilNoneIsLeft(await whatIsLeftOut(db, table, ids), againInMs / 10) : outcome;
  };
}

/**
 * A message is done only when all its rows are. The bus may deliver it again while a worker that stood still holds its rows by a lease that
 * it has just renewed: if the second delivery counted as done, nothing would bring back the rows that this worker then gives up.
 */
function untilNoneIsLeft({ hasSuspects, heldForMs }: LeftOut, suspectsInMs: number): Outcome {
  if (hasSuspects) return { done: false, retryInMs: suspectsInMs };
  return heldForMs === null ? done : { done: false, retryInMs: Math.ceil(Math.min(heldForMs, heldMaxMs)) };
}
