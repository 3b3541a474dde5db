import { expect, test } from "@jest/globals";
import { ApiError } from "../../api/api-error.js";
import { faultLines, optionFaults } from "./option-faults.js";

const refused = (details: unknown) =>
  new ApiError(400, "invalid_input", "language: is bad. And 2 more faults, see details.", details);

test("all faults are told, each by the label of its option", () => {
  const faults = optionFaults(
    refused([
      { path: "body.language", message: "is bad" },
      { path: "body.crawl_pages_max", message: "must be at most 100000" },
      { path: "body.login_steps.0.url", message: "is missing" },
    ]),
  );
  expect(faultLines(faults)).toEqual([
    "Language: is bad",
    "Maximum pages: must be at most 100000",
    "Sign in: is missing",
  ]);
});

test.each([
  ["another refusal", new ApiError(409, "conflict", "A deletion is running."), ["A deletion is running."]],
  ["details of another shape", refused({ odd: true }), ["language: is bad. And 2 more faults, see details."]],
  ["no faults", refused([]), ["language: is bad. And 2 more faults, see details."]],
  ["no answer of the server", new Error("broken"), []],
])("%s", (_, failure, lines) => {
  expect(faultLines(optionFaults(failure))).toEqual(lines);
});
