import { expect, test } from "@jest/globals";
import { findBoundary } from "./find-boundary.js";

async function look(list: string, from: number, to: number) {
  let looks = 0;
  const found = await findBoundary(from, to, async (place) => {
    looks += 1;
    return list[place] === list[from];
  });
  return { ...found, looks };
}

test.each([
  ["....xxxx", 7, 0, 4, 3],
  ["....xxxx", 4, 7, 7, null],
  ["....xxxx", 4, 0, 4, 3],
  ["xxxx", 3, 0, 0, null],
  ["x", 0, 0, 0, null],
  [".xxxx...", 2, 7, 4, 5],
  ["....xxxx", 1, 7, 3, 4],
])("%s from %i to %i", async (list, from, to, last, otherwise) => {
  expect(await look(list, from, to)).toMatchObject({ last, otherwise });
});

test("of many places few are looked at, and the change nearest by is found", async () => {
  for (let at = 0; at < 1_000; at += 37) {
    const list = ".".repeat(at) + "x".repeat(1_000 - at);
    const found = await look(list, 999, 0);
    expect(found).toMatchObject({ last: at, otherwise: at === 0 ? null : at - 1 });
    expect(found.looks).toBeLessThanOrEqual(20);
  }
  expect(await look(`${"x.".repeat(500)}xxx`, 1_002, 0)).toMatchObject({ last: 1_000, otherwise: 999 });
});
