import { expect, test } from "@jest/globals";
import { takeTurn } from "./turns.js";

test("two begin at once, each other one when one is over, in their order and without those that left", () => {
  const begun: string[] = [];
  const take = (name: string) => takeTurn(() => begun.push(name));
  const [one, two, three, four, five] = ["one", "two", "three", "four", "five"].map(take);
  expect(begun).toEqual(["one", "two"]);
  three?.();
  two?.();
  expect(begun).toEqual(["one", "two", "four"]);
  // twice is once
  two?.();
  expect(begun).toEqual(["one", "two", "four"]);
  one?.();
  four?.();
  five?.();
  expect(begun).toEqual(["one", "two", "four", "five"]);
  const [six, seven, eight] = ["six", "seven", "eight"].map(take);
  expect(begun.slice(4)).toEqual(["six", "seven"]);
  for (const over of [six, seven, eight]) over?.();
});
