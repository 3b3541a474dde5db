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

test("a run is named by its number or its id, and nothing else", async () => {
  const call = withRuns(many(2, "snapshot-all"));
  const id = "01a22ad0-4248-7d68-bdf3-000000000001";
  expect(await readAgainst(call, "o", `run:${id}`)).toEqual({ side: { type: "run", run_id: id } });
  await expect(readAgainst(call, "o", "run:99999")).rejects.toThrow("this test object has 2,");
  for (const name of ["latest", "0", "-1", "1.5", id.slice(0, -1)])
    await expect(readAgainst(call, "o", `run:${name}`)).rejects.toThrow(
      "Give a number, run:1 for the newest, or the id",
    );
});

test("a day that no month has is refused, not taken for another one", async () => {
  const call = withRuns([]);
  const at = "2024-02-29T00:00:00.000Z";
  expect(await readAgainst(call, "o", "2024-02-29")).toEqual({ side: { type: "time", at } });
  for (const day of ["2026-02-30", "2026-02-30T09:00:00Z", "2025-02-29", "2026-04-31", "2026-13-01"])
    await expect(readAgainst(call, "o", day)).rejects.toThrow(`Cannot compare with “${day}”`);
});
