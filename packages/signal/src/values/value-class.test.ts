import { expect, test } from "@jest/globals";
import { RE2JS } from "re2js";
import { classOf } from "./value-class.js";

const matches = (values: readonly string[], other: string) =>
  RE2JS.compile(`^(?:${classOf(values, true) ?? ""})$`).matches(other);

test.each([
  [["9e107d9d372bb6826bd81d3542a419d6", "e4d909c290d0fb1ca068ffaddf22cbd0"], "ab56b4d92b40713acc5af89985d4b786"],
  [["kyCmbqIA62jT1VYbMUn3xEn7", "RTwHC4Pn2WqQ91UHDvu6MCEc"], "T3lDesuRiJCySStNJ81led52"],
])("two tokens of a page that stands alone are known by their kind: %j", (values, next) => {
  expect(matches(values, next)).toBe(true);
  for (const edit of ["", "a word", next.slice(1), "https://else.example/x.js"])
    expect(matches(values, edit)).toBe(false);
});

test.each([
  [["defs-04554b", "defs-829082"], "defs-c1d2a7", ["defs-main", "defs-", "other-04554b"]],
  [["defs-04554b", "topdefs-04554b", "defs-829082", "topdefs-829082"], "topdefs-c1d2a7", ["defs-main", "under-04554b"]],
  [["legendc1d2a3", "legend829082"], "legend04554b", ["legend", "legendary", "caption04554b"]],
  [["clip04554bxyplot", "clip829082xyplot"], "clip6c0c3axyplot", ["clipxyplot", "clip04554bxaxis", "04554b"]],
  [["wrapper-d1033318baf92d0e8", "wrapper-81bb193740fa1fee"], "wrapper-a5e2d5a1c7bb8f20", ["wrapper-main"]],
  [["input-k3j9x2", "input-0zq81m"], "input-9ab3zz", ["input-name", "output-9ab3zz", "input-9ab 3z"]],
])("two ids that a script made by chance are known by their kind: %j", (values, next, others) => {
  expect(matches(values, next)).toBe(true);
  expect(others.filter((other) => matches(values, other))).toEqual([]);
});

test.each([
  [["room 12b", "room 14c"], "room 13a"],
  [["v2024q3beta", "v2025q1beta"], "v2025q1alpha"],
  [["Section 10b2", "Section 11b3"], "Section 10c2"],
])("what people number with letters is not hidden whatever its letters: %j", (values, edit) => {
  expect(matches(values, edit)).toBe(false);
});

test("short words with digits keep their letters", () => {
  const values = ["node-3a", "node-7b"];
  expect(matches(values, "node-9b")).toBe(true);
  expect(matches(values, "host-9b")).toBe(false);
});

test.each([
  [["/static/app.5e0c7f21", "/static/app.b1e4dca0"], "/static/app.00aa11bb", "/static/bpp.00aa11bb"],
  [
    ["/build/Zk3xQ9vA2mTr7LpE/main", "/build/p0sWq8LmN4xYb2Kd/main"],
    "/build/aB3dE6gH9jK2mN5p/main",
    "/guild/aB3dE6gH9jK2mN5p/main",
  ],
  [
    ["/build/Zk3xQ9vA2mTr7LpE/main", "/build/p0sWq8LmN4xYb2Kd/main"],
    "/build/aB3dE6gH9jK2mN5p/main",
    "/build/aB3dE6gH9jK2mN5p/mask",
  ],
])("another file than the one whose version differs is none of its values: %j", (values, next, other) => {
  expect(matches(values, next)).toBe(true);
  expect(matches(values, other)).toBe(false);
});

test("times with a part of a random number behind them are known without its last zeros, and times alone by their length", () => {
  // as in the menus of doxygen: `(Date.now() + Math.random() + "").replace(/\D/g, "")`
  const ids = ["sm-17958875942366072-1", "sm-17958877844135273-12"];
  for (const next of ["sm-1795887736444455-1", "sm-17958877364444-3"]) expect(matches(ids, next)).toBe(true);
  for (const other of ["sm-1795887-1", "sm-main-1"]) expect(matches(ids, other)).toBe(false);
  expect(matches(["1795887594236", "1795887784413"], "179588736444")).toBe(false);
});
