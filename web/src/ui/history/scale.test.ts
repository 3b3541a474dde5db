import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { barHeights, tickHeight } from "./scale.js";

test("nothing changed draws nothing, one page stays visible beside a thousand", () => {
  const [none, one, many] = barHeights(
    [
      { changed: 0, failed: 0 },
      { changed: 1, failed: 0 },
      { changed: 1000, failed: 0 },
    ],
    28,
  );
  expect(none).toEqual({ changed: 0, failed: 0 });
  expect(one?.changed).toBe(3);
  expect(many?.changed).toBe(28);
});

test("bars keep to their height, and every part that is there is seen", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ changed: fc.nat(100_000), failed: fc.nat(100_000) }), { maxLength: 14 }),
      (runs) => {
        barHeights(runs, 28).forEach((bar, index) => {
          expect(bar.changed + bar.failed).toBeLessThanOrEqual(30);
          expect(bar.changed > 0).toBe((runs[index]?.changed ?? 0) > 0);
          expect(bar.failed > 0).toBe((runs[index]?.failed ?? 0) > 0);
        });
      },
    ),
  );
});

test.each([
  ["unchanged", 0, 5],
  ["first", 0, 5],
  ["failed", 0, 14],
  ["changed", 1, 10],
  ["changed", 1_000_000, 16],
] as const)("%s of %p lines is %p px", (status, size, height) => expect(tickHeight({ status, size })).toBe(height));
