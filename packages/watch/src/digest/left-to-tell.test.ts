import { expect, test } from "@jest/globals";
import type { DigestSection, ToldPage, ToldPages } from "@web-tester/contracts/entities/digest";
import { leftToTell } from "./left-to-tell.js";

const page = (path: string, said = ""): ToldPage => ({ path, url: `http://a.test${path}`, link: "http://here/", said });
const pages = (...paths: string[]): ToldPages => ({ total: paths.length, pages: paths.map((path) => page(path)) });
const many = (total: number, from = 0): ToldPages => ({
  total,
  pages: Array.from({ length: Math.min(total, 20) }, (_, at) => page(`/p${from + at}`)),
});
const group = (sample: string, added: string, count = 2) => ({
  pages: count,
  removed: "",
  added,
  sample: page(sample),
});
const section = (run: string | null, some: Partial<DigestSection>): DigestSection => ({
  object: { id: "1", name: "The shop", url: "http://a.test/", link: "" },
  run: run === null ? null : { id: run, link: "", kind: "snapshot-all", finished_at: "2026-11-24T00:00:00Z" },
  ...{ changed: 0, groups_total: 0, groups: [], strange: [], notes: [] },
  ...{ new: pages(), gone: pages(), moved: pages(), unlinked: pages(), failing: pages(), recovered: pages() },
  ...some,
});
const changes = { changed: 3, groups_total: 2, groups: [group("/a", "x"), group("/b", "y", 1)] };
const left = (some: DigestSection, ...told: DigestSection[]) => leftToTell([some], [told], "email");

test.each<[string, Partial<DigestSection>, Partial<DigestSection>, Partial<DigestSection> | null]>([
  ["all was told", changes, changes, null],
  ["more was told", changes, { ...changes, new: pages("/n") }, null],
  ["one kind was told", { ...changes, failing: pages("/f") }, changes, { failing: pages("/f") }],
  ["another kind was told", { gone: pages("/a") }, { unlinked: pages("/a") }, { gone: pages("/a") }],
  ["some pages were told", { new: pages("/a", "/b") }, { new: pages("/b", "/c") }, { new: pages("/a") }],
  ["a long list was told", { new: many(30) }, { new: many(30) }, null],
  ["part of a long list was told", { new: many(30) }, { new: many(25) }, { new: many(30) }],
  ["a page was only counted, not named", { new: pages("/p1", "/p9") }, { new: many(10) }, { new: pages("/p9") }],
  ["each group was shown", { changed: 2, groups_total: 1, groups: [group("/a", "x")] }, changes, null],
  [
    "a group was shown with other pages",
    { changed: 1, groups_total: 1, groups: [group("/a", "x", 1)] },
    changes,
    { changed: 1, groups_total: 1, groups: [group("/a", "x", 1)] },
  ],
  [
    "a changed page is in no group",
    { changed: 9, groups_total: 1, groups: [group("/a", "x")] },
    changes,
    { changed: 9, groups_total: 1, groups: [group("/a", "x")] },
  ],
  ["a sentence was told", { strange: ["More", "Silent"] }, { strange: ["Silent"] }, { strange: ["More"] }],
  ["only the end of the run is left", { ...changes, notes: ["End"] }, changes, { ...changes, notes: ["End"] }],
  ["the end of the run was told too", { ...changes, notes: ["End"] }, { ...changes, notes: ["End"] }, null],
])("where %s", (_where, some, told, expected) => {
  expect(left(section("r1", some), section("r1", told))).toEqual(expected === null ? [] : [section("r1", expected)]);
  // what another run found is news in any case
  expect(left(section("r1", some), section("r2", told))).toEqual([section("r1", some)]);
});

test("several messages together tell of a run", () => {
  const told = [section("r1", { new: pages("/a") }), section("r1", { new: pages("/b"), failing: pages("/f") })];
  expect(left(section("r1", { new: pages("/a", "/b"), failing: pages("/f") }), ...told)).toEqual([]);
});

test("a failure that goes on is another sentence", () => {
  const failing = (said: string) => section("r1", { failing: { total: 1, pages: [page("/f", said)] } });
  expect(left(failing("503, 3 times"), failing("503"))).toEqual([failing("503, 3 times")]);
});

test("what belongs to no run says the same each time", () => {
  expect(left(section(null, changes), section(null, changes))).toEqual([section(null, changes)]);
});

test("runs that a long message only counted were not told", () => {
  const runs = Array.from({ length: 12 }, (_, at) => section(`r${at}`, changes));
  const ids = (kind: "email" | "webhook") => leftToTell(runs, [runs], kind).map(({ run }) => run?.id);
  expect(ids("email")).toEqual(["r10", "r11"]);
  expect(ids("webhook")).toEqual(["r5", "r6", "r7", "r8", "r9", "r10", "r11"]);
});
