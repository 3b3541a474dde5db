import { expect, test } from "@jest/globals";
import { notFound } from "./not-found.js";

const end = "It may have been deleted; go back to the list and choose again.";

test.each<[Parameters<typeof notFound>, string]>([
  [["run", "7"], "There is no run with the id “7”."],
  [["run", "x".repeat(61)], `There is no run with the id “${"x".repeat(60)}…”.`],
  [["fetch with the label “rel 1”"], "There is no fetch with the label “rel 1”."],
])("%j", (named, words) => {
  expect(notFound(...named).message).toBe(`${words} ${end}`);
});
