import { expect, test } from "@jest/globals";
import { headerCount, prettyHeaders } from "./headers.js";

test.each([
  ['{"a":"1","b":["2","3"]}', '{\n  "a": "1",\n  "b": [\n    "2",\n    "3"\n  ]\n}', 2],
  ["{}", "{}", 0],
  ["not json", "not json", undefined],
  ["", "", undefined],
  ["[1]", "[\n  1\n]", undefined],
])("%p", (text, pretty, count) => {
  expect(prettyHeaders(text)).toBe(pretty);
  expect(headerCount(text)).toBe(count);
});
