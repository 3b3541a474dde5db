import { afterEach, expect, test } from "@jest/globals";
import { saidAt } from "@web-tester/contracts/lifecycle-said";
import { chooseLanguage } from "../../texts/language.js";
import { saidWords } from "./said-words.js";

Object.assign(globalThis, {
  document: { documentElement: { lang: "" } },
  localStorage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
});

afterEach(() => chooseLanguage("en"));

const since = saidAt("goneSince", new Date(2026, 2, 1, 8, 5));

test.each([
  ["redirected", "weitergeleitet"],
  [since, "war verschwunden seit 01.03.2026 08:05"],
  ["HTTP 404", "HTTP 404"],
  ["words of an older version", "words of an older version"],
])("“%s” is said in the reader's language", async (stored, german) => {
  expect(saidWords(stored)).toBe(stored);
  await chooseLanguage("de");
  expect(saidWords(stored)).toBe(german);
});
