import { resolve } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { rewriteForReplay } from "@web-tester/html/replay/rewrite-for-replay";
import { createReplayer, type Replayer, type ReplayerOptions } from "@web-tester/replay/replayer";
import type { AssetRow } from "@web-tester/records/assets/snapshot-assets";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";

/** Pages of the largest size are made ready to be shown in a worker thread, while the process goes on with other work. */
const workerFile = resolve(import.meta.dirname, "../../packages/replay/dist/replay-worker.js");
const large = Buffer.from('<img src="/a.png" alt="a">'.repeat(380_000));
const asset: AssetRow = {
  id: "a",
  list_id: "l",
  url: "http://own.example/a.png",
  base_url: null,
  kind: "image",
  hash: "0a".repeat(32),
  bytes: 1,
  content_type: "image/png",
  extension: "png",
  error: null,
};
const nowhere: Pick<ObjectStore, "read"> = { read: () => Promise.reject(new Error("nothing is nested here")) };

let replayer: Replayer | undefined;
afterEach(() => replayer?.close());

/** Makes a replayer, and counts how often it reads pages. */
function open(options: ReplayerOptions = {}) {
  // the default of 30 s is what a person waits for; a machine that runs other suites too may need more for pages of this size
  const made = createReplayer({ workerFile, deadlineMs: 300_000, ...options });
  replayer = made;
  const state = { reads: 0 };
  return {
    state,
    page: (key: string, bytes: Buffer = large, address = "/api/assets/a.png") =>
      made.page(
        {
          key,
          baseUrl: "http://own.example/",
          read: () => {
            state.reads += 1;
            return Promise.resolve({ bytes, charset: "utf-8", marks: null });
          },
        },
        // the store is read for nested documents only, and there are none
        { store: nowhere as ObjectStore, assets: [asset], noscript: "show", address: () => address },
      ),
  };
}

/** Counts how often the event loop turns while `work` is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let goesOn = true;
  const count = () => {
    turns += 1;
    if (goesOn) setImmediate(count);
  };
  setImmediate(count);
  await work();
  goesOn = false;
  return turns;
}

test("the process goes on with other work while a page of 9.9 MB is made ready", async () => {
  const { page } = open();
  const here = await turnsDuring(() =>
    Promise.resolve(
      rewriteForReplay(large.toString(), {
        baseUrl: "http://own.example/",
        noscript: "show",
        address: () => "/api/assets/a.png",
        document: () => null,
        sprite: () => null,
      }),
    ),
  );
  expect(here).toBeLessThan(3);
  let made: Buffer = Buffer.alloc(0);
  const beside = await turnsDuring(async () => {
    made = await page("one");
  });
  expect(beside).toBeGreaterThan(100);
  expect(made.subarray(0, 60).toString()).toBe('<img src="/api/assets/a.png" alt="a"><img src="/api/assets/a');
});

test("what was made is kept by content and files, and what several ask for at once is made once", async () => {
  const { page, state } = open();
  const [one, other] = await Promise.all([page("one"), page("one")]);
  expect([state.reads, one === other]).toEqual([1, true]);
  expect(await page("one")).toBe(one);
  expect(state.reads).toBe(1);
  const moved = await page("one", large, "/api/assets/other.png");
  expect([state.reads, moved.includes("other.png")]).toEqual([2, true]);
  await page("two");
  expect(state.reads).toBe(3);
});

test("what is kept is bounded in bytes", async () => {
  const { page, state } = open({ keptMaxBytes: 1_000 });
  const small = Buffer.from("<p>small".repeat(50));
  for (const key of ["a", "b", "c"]) await page(key, small);
  await page("c", small);
  expect(state.reads).toBe(3);
  await page("a", small);
  expect(state.reads).toBe(4);
});

test("a page that takes too long is given up in words, and not tried again at once; others are made", async () => {
  const { page, state } = open({ deadlineMs: 40 });
  const refusal = { code: "unavailable", message: expect.stringMatching(/takes more than 0\.04 s.+Look at its HTML/) };
  await expect(page("one")).rejects.toMatchObject(refusal);
  await expect(page("one")).rejects.toMatchObject(refusal);
  expect(state.reads).toBe(1);
  expect((await page("small", Buffer.from("<p>small"))).toString()).toBe("<p>small");
});
