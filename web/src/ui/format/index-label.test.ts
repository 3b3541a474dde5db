import { expect, test } from "@jest/globals";
import { indexChoices } from "./index-label.js";

test("indices count from 1 for people and from 0 in addresses", () => {
  expect(indexChoices(3)).toEqual([
    { value: "0", label: "Index 1 (latest)" },
    { value: "1", label: "Index 2 (second latest)" },
    { value: "2", label: "Index 3" },
  ]);
  expect(indexChoices(0)).toEqual([]);
});
