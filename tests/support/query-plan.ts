import type { Queryable } from "@web-tester/platform/database/database";

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
}

/**
 * Runs queries, and counts how many rows of a table all steps of all their statements looked at together.
 * @param table its name
 * @param ask each of its statements runs twice, so that it also gets an answer; its writes have to tolerate that (see `lookingOnly`)
 */
export const rowsLookedAt = (db: Queryable, table: string, ask: (on: Queryable) => Promise<unknown>): Promise<number> =>
  counted(db, ask, (step) => {
    // a bitmap index scan names only its index; it counts for the table that is asked about
    const isOf = step["Relation Name"] === table || step["Node Type"] === "Bitmap Index Scan";
    return isOf ? (step["Actual Rows"] ?? 0) + (step["Rows Removed by Filter"] ?? 0) : 0;
  });

/**
 * Likewise counts the rows that all steps together return or drop, whatever they belong to: also the pairs that a join compares in vain.
 * @param ask as above
 */
export const rowsHandled = (db: Queryable, ask: (on: Queryable) => Promise<unknown>): Promise<number> =>
  counted(
    db,
    ask,
    (step) =>
      (step["Actual Rows"] ?? 0) + (step["Rows Removed by Filter"] ?? 0) + (step["Rows Removed by Join Filter"] ?? 0),
  );

/**
 * Returns the answer of something, and how many rows it handles (`rowsHandled`).
 * @param ask as above
 */
export async function answerAndRows<T>(
  db: Queryable,
  ask: (on: Queryable) => Promise<T>,
): Promise<{ answer: T | undefined; rows: number }> {
  const answers: T[] = [];
  const rows = await rowsHandled(db, async (on) => answers.push(await ask(on)));
  return { answer: answers[0], rows };
}

/** @param rows the rows of one loop of a step that count, besides those that an index returned in vain */
async function counted(
  db: Queryable,
  ask: (on: Queryable) => Promise<unknown>,
  rows: (step: Plan) => number,
): Promise<number> {
  let all = 0;
  const count = ({ Plans = [], ...step }: Plan): number => {
    const own = (rows(step) + (step["Rows Removed by Index Recheck"] ?? 0)) * (step["Actual Loops"] ?? 0);
    return Plans.reduce((sum, each) => sum + count(each), own);
  };
  await ask({
    query: async (statement, values) => {
      const text = typeof statement === "string" ? statement : statement.text;
      const rowsOfPlan = await db.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) ${text}`,
        values,
      );
      for (const row of rowsOfPlan) for (const { Plan } of row["QUERY PLAN"]) all += count(Plan);
      return db.query(statement, values);
    },
  });
  return all;
}

/**
 * Undoes the changes of statements that are only explained.
 * @param tx a transaction
 */
export function lookingOnly(tx: Queryable): Queryable {
  return {
    async query(statement, values) {
      if (typeof statement !== "string" || !statement.startsWith("EXPLAIN")) return tx.query(statement, values);
      await tx.query("SAVEPOINT before_it");
      try {
        return await tx.query(statement, values);
      } finally {
        await tx.query("ROLLBACK TO SAVEPOINT before_it");
      }
    },
  };
}
