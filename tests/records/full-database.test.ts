import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@web-tester/platform/database/database";
import { readOnlyProblem } from "@web-tester/records/schema/check-schema";
import { type OwnDatabase, startDatabase } from "../support/database.js";

let own: OwnDatabase | undefined;
beforeAll(async () => {
  own = await startDatabase();
});
afterAll(() => own?.stop());

/** Error codes of a PostgreSQL that lacks something or is being stopped, and the messages that the product makes of them. */
test.each([
  ["53100", /^The disk of the database is full: free some space \(could not extend file\)\.$/],
  ["53200", /^The database has no memory left/],
  ["53300", /^The database takes no further connection: lower DATABASE_POOL/],
  ["57P03", /^The database takes no connections yet: PostgreSQL is starting, stopping or recovering/],
  ["57P01", /^The database does not answer \(could not extend file\)\. Check that PostgreSQL runs/],
])("what the database lacks is named, and how to mend it: %s", async (state, words) => {
  const refuse = `DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '${state}'; END $$`;
  await expect(own?.db.query(refuse)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(words),
  });
});

test("a database that takes no changes is called that, and is asked anew once it takes some", async () => {
  if (own === undefined) throw new Error("There is no database");
  const name = new URL(own.url).pathname.slice(1);
  const standby = (mode: string) =>
    own?.db.transaction(async (tx) => {
      await tx.query("SET TRANSACTION READ WRITE");
      await tx.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = ${mode}`);
    });
  expect(await readOnlyProblem(own.db)).toBeNull();
  await standby("on");
  const db = openDatabase(own.url, 1, () => undefined);
  const write = () => db.query("INSERT INTO host_gate (host, next_at) VALUES ('read-only.test', now())");
  await expect(write()).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/^The database takes no changes, it is read-only: .*standby.*INSERT/),
  });
  expect(await readOnlyProblem(db)).toMatch(/takes no changes.*\.$/);
  await standby("off");
  await expect(write()).rejects.toMatchObject({ code: "unavailable" });
  expect(await write()).toEqual([]);
  expect(await readOnlyProblem(db)).toBeNull();
  await db.close();
});
