import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatBytes } from "./bytes.js";

test.each([
  [0, "0 B"],
  [1, "1 B"],
  [9, "9 B"],
  [1023, "1023 B"],
  [1024, "1.0 KB"],
  [1536, "1.5 KB"],
  [10_188, "9.9 KB"],
  [10_240, "10 KB"],
  [49_152, "48 KB"],
  [1_048_575, "1.0 MB"],
  [1_048_576, "1.0 MB"],
  [12 * 1024 ** 2, "12 MB"],
  [1.8 * 1024 ** 3, "1.8 GB"],
  [1024 ** 4, "1.0 TB"],
  [2048 * 1024 ** 4, "2048 TB"],
  [-1, "-"],
  [Number.NaN, "-"],
  [Number.POSITIVE_INFINITY, "-"],
  [null, "-"],
  [undefined, "-"],
])("%p bytes read as %p", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test("a larger size never reads as a smaller one", () => {
  const value = (text: string) => {
    const [number, unit] = text.split(" ");
    return Number(number) * 1024 ** ["B", "KB", "MB", "GB", "TB"].indexOf(unit ?? "");
  };
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), fc.nat(2 ** 31 - 1), (a, b) => {
      expect(value(formatBytes(Math.min(a, b)))).toBeLessThanOrEqual(value(formatBytes(Math.max(a, b))));
    }),
  );
});
