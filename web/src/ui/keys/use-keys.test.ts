import { expect, test } from "@jest/globals";
import { keyOf } from "./use-keys.js";

const pressed = (key: string, code: string, shiftKey = false) => keyOf({ key, code, shiftKey });

test.each([
  ["а Russian one", "о", "KeyJ", "j"],
  ["a Greek one", "κ", "KeyK", "k"],
  ["a Hebrew one", "מ", "KeyN", "n"],
])("%s has the Latin letter of its key", (_keyboard, key, code, letter) => {
  expect(pressed(key, code)).toBe(letter);
  expect(pressed(key, code, true)).toBe(letter.toUpperCase());
});

test("what a Latin keyboard writes counts, wherever the key is", () => {
  expect(pressed("z", "KeyY")).toBe("z");
  expect(pressed("?", "Minus", true)).toBe("?");
});

test("signs and keys that write nothing are what they are", () => {
  expect(pressed("ß", "Minus")).toBe("ß");
  expect(pressed("Enter", "Enter")).toBe("Enter");
  expect(pressed("Dead", "KeyE")).toBe("Dead");
});
