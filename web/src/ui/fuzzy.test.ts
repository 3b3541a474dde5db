import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { fuzzyFilter, fuzzyParts } from "./fuzzy.js";

const labels = ["Rate limits", "SDK: URL matching", "Errors", "Quickstart"];
const found = (query: string, limit = 10) =>
  fuzzyFilter(query, labels, (label) => label, limit).map((match) => match.item);

test("letters in order are enough", () => {
  expect(found("rlm").toSorted()).toEqual(["Rate limits", "SDK: URL matching"]);
  expect(found("qst")).toEqual(["Quickstart"]);
  expect(found("zz")).toEqual([]);
});

test("an empty query keeps everything as it was, up to the limit", () => {
  expect(found("")).toEqual(labels);
  expect(found("  ", 2)).toEqual(labels.slice(0, 2));
});

test("parts are the label again", () => {
  expect(fuzzyParts("Rate limits", [0, 5, 7])).toEqual([
    { text: "R", matched: true },
    { text: "ate ", matched: false },
    { text: "l", matched: true },
    { text: "i", matched: false },
    { text: "m", matched: true },
    { text: "its", matched: false },
  ]);
  fc.assert(
    fc.property(fc.string(), fc.array(fc.nat(20)), (label, indexes) =>
      expect(
        fuzzyParts(label, indexes)
          .map((part) => part.text)
          .join(""),
      ).toBe(label),
    ),
  );
});
