import { expect, test } from "@jest/globals";
import { instanceName } from "./instance-name.js";

const url = new URL("https://site.test/prices/?page=2");

test.each([
  ["a title", "Prices", "Prices"],
  ["no title", null, "/prices/?page=2"],
  ["an empty title", "", "/prices/?page=2"],
  ["a title that cannot be seen", "\u200b\u2060 \u202e", "/prices/?page=2"],
  ["a title that would turn its end around", "abc\u202egpj.exe", "abcgpj.exe"],
  ["a title from right to left", "\u05de\u05d7\u05d9\u05e8\u05d9\u05dd", "\u05de\u05d7\u05d9\u05e8\u05d9\u05dd"],
  ["an accent after its letter", "Cafe\u0301", "Caf\u00e9"],
])("a page with %s", (_what, title, name) => expect(instanceName(title, url)).toBe(name));

test("a long title is cut", () => {
  const name = instanceName("x".repeat(1_000), url);
  expect([name.length, name.at(-1)]).toEqual([200, "…"]);
});
