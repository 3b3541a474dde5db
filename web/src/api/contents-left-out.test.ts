import { expect, test } from "@jest/globals";
import { contentsLeftOut } from "./transfer.js";

const file = (end: string) => new Blob([`{"testSnapshots": [\n${"x".repeat(3_000)}\n]${end}\n}\n`]);

test.each([
  ["", 0],
  [',\n"incomplete": {"contents":12,"message":"12 snapshots have no page."}', 12],
  // what a page says is no end of a file
  [',\n"incomplete": {"contents":12,"message":"12"}, "more": 1', 0],
])("a file that ends with %j lacks %i contents", async (end, contents) => {
  expect(await contentsLeftOut(file(end))).toBe(contents);
});
