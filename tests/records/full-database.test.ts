import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type OwnDatabase, startDatabase } from "../support/database.js";

let own: OwnDatabase | undefined;
beforeAll(async () => {
  own = await startDatabase();
});
afterAll(() => own?.stop());

/** The codes that PostgreSQL gives where it runs and lacks something. */
test.each([
  ["53100", /^The disk of the database is full: free some space \(could not extend file\)\.$/],
  ["53200", /^The database has no memory left/],
  ["53300", /^The database takes no further connection: lower DATABASE_POOL/],
  ["57P01", /^The database does not answer \(could not extend file\)\. Check that PostgreSQL runs/],
])("what the database lacks is named, and how to mend it: %s", async (state, words) => {
  const refuse = `DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '${state}'; END $$`;
  await expect(own?.db.query(refuse)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(words),
  });
});
