import { afterEach, expect, test } from "@jest/globals";
import { chooseLanguage } from "../../../texts/language.js";
import { skipWords } from "./skip-words.js";

const page = () =>
  Object.assign(globalThis, {
    document: { documentElement: { lang: "" } },
    localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  });
afterEach(async () => chooseLanguage("en"));

test.each([
  ["Identical: both snapshots hold the same", "Gleich: in beiden Snapshots steht dasselbe"],
  ["Identical: both indices name the same snapshot", "Gleich: beide Indizes meinen denselben Snapshot"],
  [
    "Only 2 finished snapshots, index 8 needs 8",
    "Zu wenige fertige Snapshots für diesen Index (Only 2 finished snapshots, index 8 needs 8)",
  ],
  [
    "No finished snapshot, index 1 needs 1",
    "Zu wenige fertige Snapshots für diesen Index (No finished snapshot, index 1 needs 1)",
  ],
  [
    "The HTML is identical; beside it changed the title",
    "Das HTML ist gleich; daneben hat sich etwas geändert. (The HTML is identical; beside it changed the title)",
  ],
  ["what nobody knows yet", "what nobody knows yet"],
])("%s", async (skipReason, german) => {
  page();
  expect(skipWords({ skipReason })).toBe(skipReason);
  await chooseLanguage("de");
  expect(skipWords({ skipReason })).toBe(german);
});
