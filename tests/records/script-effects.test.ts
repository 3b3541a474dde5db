import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Database } from "@web-tester/platform/database/database";
import { keepScriptEffect, selectScriptEffects } from "@web-tester/records/script-effects/script-effects";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** What trial loads in a browser have shown about a site's scripts, as all fetchers share it. */
let own: OwnDatabase;
let db: Database;
let objectId: string;
const dayMs = 86_400_000;
const digest = (name: string) => Buffer.alloc(32, name);
const scripts = digest("s");

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
});
afterAll(() => own.stop());
beforeEach(async () => {
  const [row] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('A site', 'https://' || uuidv7() || '.example/') RETURNING id",
  );
  objectId = row?.id ?? "";
});

const keep = (page: string, places: string, builds: boolean) =>
  keepScriptEffect(db, objectId, { scripts, page: digest(page), places: [...places].map(digest), builds }, dayMs);
async function known(whats: string, of = scripts): Promise<string> {
  const found = await selectScriptEffects(db, objectId, {
    scripts: of,
    whats: [...whats].map(digest),
    maxAgeMs: dayMs,
  });
  return found
    .map(({ what, builds }) => `${what.toString("latin1", 0, 1)}${builds ? "+" : "-"}`)
    .sort()
    .join(" ");
}
const grow = (ms: number) =>
  db.query("UPDATE script_effect SET seen_at = seen_at - $1 * interval '1 millisecond'", [ms]);

test("places that stayed empty are known one by one, and only with these scripts", async () => {
  await keep("P", "ab", false);
  expect(await known("Pabc")).toBe("a- b-");
  expect(await known("a", digest("t"))).toBe("");
});

test("a page that scripts build is known as a whole, and its places no longer as empty ones", async () => {
  await keep("P", "ab", false);
  await keep("Q", "bc", true);
  expect(await known("PQabc")).toBe("Q+ a-");
  await keep("Q", "bc", false);
  expect(await known("PQabc")).toBe("a- b- c-");
});

test("what was seen again is young again, what is a day old is not known and goes with the next try", async () => {
  await keep("P", "ab", false);
  await grow(dayMs - 60_000);
  await keep("P", "a", false);
  await grow(60_000);
  expect(await known("ab")).toBe("a-");
  await keep("P", "c", false);
  expect(await db.query("SELECT 1 FROM script_effect WHERE test_object_id = $1", [objectId])).toHaveLength(2);
});

test("it goes with its object, and none is kept of one that is gone", async () => {
  await keep("P", "a", false);
  await db.query("DELETE FROM test_object WHERE id = $1", [objectId]);
  await keep("P", "a", false);
  expect(await known("a")).toBe("");
});
