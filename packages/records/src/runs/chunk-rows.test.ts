import { expect, test } from "@jest/globals";
import { chunkByHost, pagesPerFetch } from "./chunk-rows.js";

test.each([
  [1, 8],
  [2_000, 8],
  [5_000, 19],
  [100_000, 32],
])("of %i pages that are queued together, a message names %i", (queued, pages) => {
  expect(pagesPerFetch(queued)).toBe(pages);
});

test("each message has rows of one host, few where there are few, and all of them are in one", () => {
  const rows = Array.from({ length: 100 }, (_, id) => ({
    id,
    host: id % 4 === 0 ? "a" : "b",
    partition: id % 4 === 0 ? 1 : 2,
  }));
  const chunks = chunkByHost(rows, 8, 8);
  expect(new Set(chunks.map(({ host, partition }) => `${host} ${partition}`))).toEqual(new Set(["a 1", "b 2"]));
  expect(Math.max(...chunks.map(({ rows: part }) => part.length))).toBe(5);
  expect(chunks.flatMap(({ rows: part }) => part.map(({ id }) => id)).toSorted((x, y) => x - y)).toEqual(
    rows.map(({ id }) => id),
  );
});
