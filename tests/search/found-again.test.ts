import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hashContent, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { startCollector } from "@web-tester/records/contents/collect-contents";
import { setProblem, unsearchable, waitingEntries } from "@web-tester/records/search/search-entries";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { until } from "../support/until.js";

/** A store that is damaged for a while, or whose files somebody restores. */
let own: OwnDatabase;
let store: ObjectStore;

beforeAll(async () => {
  own = await startDatabase(4);
  store = openObjectStore(own.storageUrl);
});
afterAll(async () => {
  store.close();
  await own.stop();
});

test("a page that could not be read is made searchable once its bytes are found again, and nothing else is tried anew", async () => {
  const { db } = own;
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('A site', 'http://a.example/') RETURNING id",
  );
  const objectId = object?.id ?? "";
  const [instance] = await db.query<{ id: string }>(
    "INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, 'http://a.example/', 'A') RETURNING id",
    [objectId],
  );
  const enter = async (text: string, problem: string, { stored = false, isThere = true } = {}) => {
    const bytes = Buffer.from(text);
    const hash = hashContent(bytes);
    if (isThere) await store.write(hash, bytes);
    await db.query("INSERT INTO content (hash, size, stored, stored_size) VALUES ($1, $2, $3, $2)", [
      hash,
      bytes.length,
      stored,
    ]);
    await db.query(
      "INSERT INTO search_entry (test_object_id, content_hash, charset, instance_id) VALUES ($1, $2, 'utf-8', $3)",
      [objectId, hash, instance?.id],
    );
    await setProblem(db, objectId, { hash, charset: "utf-8" }, problem);
    return hash;
  };
  const waiting = async () => (await waitingEntries(db, objectId, 10)).map(({ hash }) => hash.toString("hex")).sort();
  const found = await enter("<p>found", "The stored content is damaged.");
  const fetched = await enter("<p>fetched again", "The stored content is missing.", { stored: true });
  await enter("<p>still lost", "The stored content is missing.", { isThere: false });
  await enter("<p>too much", `${unsearchable}: out of memory`, { stored: true });
  expect(await waiting()).toEqual([]);

  const errors: unknown[] = [];
  const onError = (_: string, error: unknown) => void errors.push(error);
  let collected = 0;
  const often = { everyMs: 20, straysEvery: 1_000, onError, onCollected: () => void (collected += 1) };
  const stop = startCollector({ db, store, graceMs: 3_600_000, ...often });
  await until("the page waits again", async () => (await waiting()).length === 2);
  await stop();
  expect(await waiting()).toEqual([found, fetched].map((hash) => hash.toString("hex")).sort());
  expect([collected, errors]).toEqual([1, []]);
});
