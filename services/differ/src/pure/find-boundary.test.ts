import { expect, test } from "@jest/globals";
import { findBoundary } from "./find-boundary.js";

async function look(list: string, from: number, to: number, near = 0) {
  let looks = 0;
  const holds = async (place: number) => {
    looks += 1;
    return list[place] === list[from];
  };
  const found = await findBoundary(from, to, holds, () => looks < near);
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

test.each([
  ["xx.x.xxx.x", 9, 0, 10, 9, 8, 0],
  ["xxx.xxxx", 7, 0, 10, 4, 3, 0],
  ["x.xxxxxx", 7, 0, 3, 2, 1, 0],
  ["x.xxxxxx", 7, 0, 0, 0, null, 4],
  ["xxxxxxxx", 0, 7, 10, 7, null, 0],
])("what is near is looked at place by place: %s from %i to %i, %i near", async (list, from, to, near, ...told) => {
  const { last, otherwise, passed } = await look(list, from, to, near);
  expect([last, otherwise, passed]).toEqual(told);
});
