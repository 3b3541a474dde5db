import { expect, test } from "@jest/globals";
import { isOutdated, mayReload } from "./outdated.js";

test.each([
  [new TypeError("Failed to fetch dynamically imported module: http://a/assets/diff-1.js"), true],
  [new TypeError("error loading dynamically imported module: http://a/assets/diff-1.js"), true],
  [new TypeError("Importing a module script failed."), true],
  [new Error("Unable to preload CSS for /assets/diff-1.css"), true],
  [new TypeError("Cannot read properties of undefined"), false],
  ["Failed to fetch dynamically imported module", false],
])("%p: %p", (error, outdated) => expect(isOutdated(error)).toBe(outdated));

test("a reload is tried once, and again only after a while", () => {
  const values = new Map<string, string>();
  const storage = {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
  };
  expect(mayReload(storage, 100_000)).toBe(true);
  expect(mayReload(storage, 129_999)).toBe(false);
  expect(mayReload(storage, 130_000)).toBe(true);
});
