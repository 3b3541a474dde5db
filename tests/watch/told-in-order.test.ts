import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { tellRun, type UntoldRun } from "@web-tester/records/events/tell-run";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** Runs of one site that several gateways tell at once, for example those that ended while no gateway was there. */
let own: OwnDatabase;

beforeAll(async () => {
  own = await startDatabase(4);
});
afterAll(() => own.stop());

async function addRun(object: string, kind = "snapshot-all"): Promise<string> {
  const [run] = await own.db.query<{ id: string }>(
    `INSERT INTO run (test_object_id, kind, state, finished_at) VALUES ($1, $2, 'finished', now()) RETURNING id`,
    [object, kind],
  );
  return run?.id ?? "";
}

async function addObject(name: string): Promise<string> {
  const [object] = await own.db.query<{ id: string }>(
    `INSERT INTO test_object (name, url) VALUES ($1, 'http://told.test/') RETURNING id`,
    [name],
  );
  return object?.id ?? "";
}

const tell = (deliver: (run: UntoldRun) => Promise<void>) =>
  tellRun(
    own.db,
    () => Promise.resolve(null),
    (_, run) => deliver(run),
  );

test("a later run waits until another gateway has told the one before it; those of other sites do not", async () => {
  const [shop, blog] = [await addObject("Shop"), await addObject("Blog")];
  const [first, second, other] = [await addRun(shop), await addRun(shop, "crawl"), await addRun(blog)];
  const told: string[] = [];
  const note = (run: UntoldRun) => Promise.resolve(void told.push(run.id));
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const slow = tell(async (run) => {
    begun.resolve();
    await end.promise;
    await note(run);
  });
  await begun.promise;
  expect(await tell(note)).toBe(true);
  expect(await tell(note)).toBe(false);
  expect(told).toEqual([other]);
  end.resolve();
  expect(await slow).toBe(true);
  expect(await tell(note)).toBe(true);
  expect(told).toEqual([other, first, second]);
});
