import { expect, test } from "@jest/globals";
import { RE2JS } from "re2js";
import { valuePattern } from "./value-pattern.js";

test("a value is known beside a day and time of another day", () => {
  const pattern = valuePattern(
    {
      befores: ["<!-- Made in 0.31 seconds, ", "<!-- Made in 0.52 seconds, "],
      values: ["21", "24", "23", "27"],
      afters: [" queries, Sun, 03 May 2026 10:00:03 GMT -->", " queries, Sun, 03 May 2026 10:00:05 GMT -->"],
    },
    true,
  );
  const found = (page: string) =>
    RE2JS.compile(pattern ?? "")
      .matcher(page)
      .find();
  expect(found("<!-- Made in 0.44 seconds, 25 queries, Mon, 15 June 2026 08:00:00 GMT -->")).toBe(true);
  expect(found("<!-- Made in 0.44 seconds, 25 errors, Mon, 15 June 2026 08:00:00 GMT -->")).toBe(false);
});
