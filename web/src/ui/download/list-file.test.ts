import { expect, test } from "@jest/globals";
import { fileName, toCsv, toJson } from "./list-file.js";

const columns = { name: (row: [string, number | null]) => row[0], count: (row: [string, number | null]) => row[1] };

test("a list as CSV has its names, quotes what needs it, and no formula", () => {
  expect(
    toCsv(
      [
        ['a "b", c', 1],
        ["=cmd()", null],
        ["two\nlines", -3],
      ],
      columns,
    ),
  ).toBe(`\uFEFFname,count\r\n"a ""b"", c",1\r\n'=cmd(),\r\n"two\nlines",-3\r\n`);
});

test("where semicolons or line ends begin a cell for a spreadsheet, there is no formula either", () => {
  const rows: [string, null][] = ["/a;=cmd|' /C calc'!A0", "a\n=1+1", "a\t@SUM(A1)", "a;b=c; d"].map((text) => [
    text,
    null,
  ]);
  expect(toCsv(rows, columns).split("\r\n").slice(1, -1)).toEqual([
    "/a;'=cmd|' /C calc'!A0,",
    `"a\n'=1+1",`,
    "a\t'@SUM(A1),",
    "a;b=c; d,",
  ]);
});

test("a list as JSON has the same columns, its texts as they are", () => {
  expect(JSON.parse(toJson([["=cmd()", null]], columns))).toEqual([{ name: "=cmd()", count: null }]);
});

test.each([
  ["Shop & Söhne: pages", "shop-s-hne-pages"],
  ["日本", "list"],
])("%j is the file %j", (words, name) => expect(fileName(words)).toBe(name));
