import { expect, jest, test } from "@jest/globals";
import { isOutdated, mayReload, untilAnswered } from "./outdated.js";

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

test("nothing is reloaded before the server answers", async () => {
  jest.useFakeTimers();
  let asked = 0;
  let answered = false;
  const ask = () => {
    asked += 1;
    return asked < 3 ? Promise.reject(new TypeError("Failed to fetch")) : Promise.resolve();
  };
  void untilAnswered(ask, new AbortController().signal).then(() => (answered = true));
  await jest.advanceTimersByTimeAsync(3_900);
  expect([asked, answered]).toEqual([2, false]);
  await jest.advanceTimersByTimeAsync(200);
  expect([asked, answered]).toEqual([3, true]);
  jest.useRealTimers();
});

test("a screen that is left does not ask on", async () => {
  const stop = new AbortController();
  stop.abort();
  const ask = jest.fn<() => Promise<void>>();
  await expect(untilAnswered(ask, stop.signal)).rejects.toThrow("aborted");
  expect(ask).not.toHaveBeenCalled();
});
