import { expect, test } from "@jest/globals";
import type { LifecycleEntry, LifecycleKind } from "@web-tester/contracts/entities/lifecycle";
import { shareLines } from "./share-lines.js";

const many = (kind: LifecycleKind, n: number): LifecycleEntry[] =>
  Array.from({ length: n }, (_, at) => ({
    ...{ id: `${kind}-${at}`, kind, instance: { id: `i-${at}`, name: "" }, run_id: "r", url: `http://a/${at}` },
    ...{ to_url: null, said: "", created_at: "2026-11-30T00:00:00Z", undone_at: null, can_undo: false },
  }));
const told = (items: LifecycleEntry[], counts: Partial<Record<LifecycleKind, number>>, lines = 10) =>
  shareLines(items, counts, lines).map(({ kind, shown, total }) => [kind, shown.length, total]);

test("the one page that is gone is before thousands of new ones", () => {
  expect(told([...many("new", 10), ...many("gone", 1)], { new: 8_364, gone: 1 })).toEqual([
    ["gone", 1, 1],
    ["new", 9, 8_364],
  ]);
});

test("kinds with many pages share the lines, the newest of each kind first, and none says that there is 1 more", () => {
  const items = [...many("new", 10), ...many("moved", 10), ...many("gone", 10), ...many("unlinked", 3)];
  expect(told(items, { new: 8_364, moved: 133, gone: 767, unlinked: 3 })).toEqual([
    ["gone", 3, 767],
    ["moved", 3, 133],
    ["unlinked", 3, 3],
    ["new", 2, 8_364],
  ]);
  expect(shareLines(items, {}, 10)[0]?.shown.map(({ id }) => id)).toEqual(["gone-0", "gone-1", "gone-2"]);
});

test("with room for all, all are shown", () => {
  expect(told([...many("back", 2), ...many("flapping", 1)], { back: 2, flapping: 1 })).toEqual([
    ["flapping", 1, 1],
    ["back", 2, 2],
  ]);
  expect(told([], {})).toEqual([]);
});
