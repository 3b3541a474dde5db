import { expect, jest, test } from "@jest/globals";
import type { Call } from "../client.js";
import { readAgainst } from "./against.js";

/** A product with these runs of an object, the newest first, that answers with one page of them at a time. */
function withRuns(runs: { id: string; kind: string; state: string; label: string | null }[]) {
  const listRuns = jest.fn(
    (_: string, { query }: { query: { limit: number; cursor?: string; kind?: string; label?: string } }) => {
      const found = runs.filter(
        ({ kind, label }) => (query.kind ?? kind) === kind && (query.label === undefined || query.label === label),
      );
      const from = query.cursor === undefined ? 0 : found.findIndex(({ id }) => id === query.cursor) + 1;
      const items = found.slice(from, from + query.limit);
      const isLast = from + items.length >= found.length;
      return Promise.resolve({ items, nextCursor: isLast ? null : (items.at(-1)?.id ?? null) });
    },
  );
  return listRuns as unknown as Call;
}

const run = (id: string, kind: string, { label = null as string | null, state = "finished" } = {}) => ({
  ...{ id, kind, state, label },
});
const many = (count: number, kind: string) => Array.from({ length: count }, (_, at) => run(`${kind} ${at}`, kind));

test("fetches are counted behind any number of other runs", async () => {
  const call = withRuns([...many(250, "crawl"), run("one", "snapshot-all"), run("two", "snapshot-all")]);
  expect(await readAgainst(call, "o", "run:2")).toEqual({ side: { type: "run", run_id: "two" } });
  await expect(readAgainst(call, "o", "run:3")).rejects.toThrow("this test object has 2,");
});

test("the hundred and first fetch has its number, and those that were stopped have none", async () => {
  const stopped = run("stopped", "snapshot-all", { state: "cancelled" });
  const call = withRuns([stopped, ...many(150, "snapshot-all")]);
  expect(await readAgainst(call, "o", "run:101")).toEqual({ side: { type: "run", run_id: "snapshot-all 100" } });
  await expect(readAgainst(call, "o", "run:151")).rejects.toThrow("this test object has 150,");
});

test("a label is found behind any number of stopped fetches of it", async () => {
  const stopped = Array.from({ length: 120 }, (_, at) =>
    run(`stopped ${at}`, "snapshot-all", { label: "main", state: "cancelled" }),
  );
  const call = withRuns([...stopped, run("whole", "snapshot-all", { label: "main" })]);
  expect(await readAgainst(call, "o", "label:main")).toEqual({ side: { type: "label", label: "main" } });
  await expect(readAgainst(withRuns(stopped), "o", "label:main")).rejects.toThrow("No finished fetch");
});
