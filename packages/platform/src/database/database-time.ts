import type { Queryable } from "./database.js";

/** The time by the database's clock, which counts wherever processes have to agree: their own clocks may differ by minutes. */
export async function databaseTime(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>("SELECT clock_timestamp() AS now");
  if (row === undefined) throw new Error("The database did not say what time it is.");
  return row.now;
}
