import { expect, test } from "@jest/globals";
import { starterWords } from "./starter-words.js";

test.each([
  [{ started_by: "person", started_name: "Ada" }, "by Ada"],
  [{ started_by: "person", started_name: null }, "by somebody in the browser"],
  [{ started_by: "cli", started_name: "CI" }, "by CI, from the command line"],
  [{ started_by: "api", started_name: null }, "over the API"],
  [{ started_by: "schedule", started_name: null }, "by a schedule"],
] as const)("%j is said as “%s”", (run, words) => {
  expect(starterWords(run)).toBe(words);
});
