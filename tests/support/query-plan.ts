import type { Queryable } from "@web-tester/platform/database/database";

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
}

/**
 * Runs queries, and counts how many rows of a table all steps of all their statements looked at together.
 * @param table its name
 * @param ask each of its statements runs twice, so that it also gets an answer; its writes have to tolerate that (see `lookingOnly`)
 */
export async function rowsLookedAt(
  db: Queryable,
  table: string,
  ask: (on: Queryable) => Promise<unknown>,
): Promise<number> {
  let all = 0;
  const looked = ({ Plans = [], ...step }: Plan): number => {
    const rows =
      (step["Actual Rows"] ?? 0) + (step["Rows Removed by Filter"] ?? 0) + (step["Rows Removed by Index Recheck"] ?? 0);
    // a bitmap index scan names only its index; it counts for the table that is asked about
    const isOf = step["Relation Name"] === table || step["Node Type"] === "Bitmap Index Scan";
    const own = isOf ? rows * (step["Actual Loops"] ?? 0) : 0;
    return Plans.reduce((sum, each) => sum + looked(each), own);
  };
  await ask({
    query: async (statement, values) => {
      const text = typeof statement === "string" ? statement : statement.text;
      const rows = await db.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) ${text}`,
        values,
      );
      for (const row of rows) for (const { Plan } of row["QUERY PLAN"]) all += looked(Plan);
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
