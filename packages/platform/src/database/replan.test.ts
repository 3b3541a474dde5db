import { describe, expect, test } from "@jest/globals";
import type { PoolClient } from "pg";
import { createReplanner } from "./replan.js";

describe("plans are made anew", () => {
  test("after a second, then after twice the time each, a minute at most", async () => {
    let now = 0;
    const replan = createReplanner(() => now);
    const client = connection();
    const times: number[] = [];
    for (now = 0; now <= 400_000; now += 500) {
      const before = client.statements.length;
      await replan(client);
      if (client.statements.length > before) times.push(now / 1000);
    }
    expect(times).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363]);
    expect(new Set(client.statements)).toEqual(new Set(["DISCARD PLANS"]));
  });

  test("by each connection for itself", async () => {
    let now = 0;
    const replan = createReplanner(() => now);
    const [one, other] = [connection(), connection()];
    await replan(one);
    now = 2_000;
    await replan(other);
    await replan(one);
    expect([one.statements.length, other.statements.length]).toEqual([1, 0]);
  });
});

function connection(): PoolClient & { statements: string[] } {
  const statements: string[] = [];
  const fake = { statements, query: async (sql: string) => void statements.push(sql) };
  return fake as unknown as PoolClient & { statements: string[] };
}
