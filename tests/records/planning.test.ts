import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@web-tester/platform/database/database";
import { Client } from "pg";
import { type OwnDatabase, startDatabase } from "../support/database.js";

let own: OwnDatabase;

beforeAll(async () => {
  own = await startDatabase();
});
afterAll(() => own.stop());

const asked = "SELECT current_setting('jit') AS jit, current_setting('random_page_cost') AS cost";

/** Returns the planner's settings in a new connection of the product. */
async function planning(): Promise<unknown> {
  const db = openDatabase(own.url, 1, () => undefined);
  try {
    const [row] = await db.query(asked);
    return row;
  } finally {
    await db.close();
  }
}

/** Returns the planner's settings in a connection that sets none. */
async function planningOfOthers(): Promise<unknown> {
  const client = new Client({ connectionString: own.url });
  await client.connect();
  try {
    return (await client.query(asked)).rows[0];
  } finally {
    await client.end();
  }
}

test("statements are planned as they were measured, on a server that nobody has set", async () => {
  expect(await planningOfOthers()).toEqual({ jit: "on", cost: "4" });
  expect(await planning()).toEqual({ jit: "off", cost: "1.1" });
});

test("what an operator has set stays", async () => {
  const { pathname } = new URL(own.url);
  await own.db.query(`ALTER DATABASE "${pathname.slice(1)}" SET random_page_cost = 2`);
  expect(await planning()).toEqual({ jit: "off", cost: "2" });
});
