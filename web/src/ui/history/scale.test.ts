import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { barHeights, barPaths, tickHeight } from "./scale.js";

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

test("each bar stands on the ground at its own place, failures on top of changes", () => {
  const { width, failed, changed, quiet } = barPaths(
    [
      { changed: 4, failed: 4 },
      { changed: 0, failed: 0 },
      { changed: 0, failed: 8 },
    ],
    28,
  );
  expect(width).toBe(30);
  expect(boxes(changed)).toEqual([{ left: 0, right: 8, top: 16, bottom: 30 }]);
  expect(boxes(failed)).toEqual([
    { left: 0, right: 8, top: 1, bottom: 15 },
    { left: 22, right: 30, top: 2, bottom: 30 },
  ]);
  expect(boxes(quiet)).toEqual([{ left: 11, right: 19, top: 28, bottom: 30 }]);
  expect(barPaths([], 28)).toEqual({ width: 0, failed: "", changed: "", quiet: "" });
});

test("no bar leaves its picture", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ changed: fc.nat(100_000), failed: fc.nat(100_000) }), { minLength: 1, maxLength: 14 }),
      (runs) => {
        const { width, ...paths } = barPaths(runs, 28);
        for (const box of Object.values(paths).flatMap(boxes)) {
          expect(box.left).toBeGreaterThanOrEqual(0);
          expect(box.right).toBeLessThanOrEqual(width);
          expect(box.top).toBeGreaterThanOrEqual(-1);
          expect(box.bottom).toBeLessThanOrEqual(30);
          expect(box.bottom).toBeGreaterThan(box.top);
        }
      },
    ),
  );
});

/** The boxes that the outlines of a path enclose. */
function boxes(path: string): { left: number; right: number; top: number; bottom: number }[] {
  return [...path.matchAll(/M([\d.-]+) ([\d.-]+)([^z]*)z/g)].map(([, startX, startY, rest = ""]) => {
    let [x, y] = [Number(startX), Number(startY)];
    const [xs, ys] = [[x], [y]];
    for (const [, kind, numbers = ""] of rest.matchAll(/([hva])([\d. -]*)/g)) {
      const given = numbers.trim().split(/\s+/).map(Number);
      if (kind === "h") x += given[0] ?? 0;
      else if (kind === "v") y += given[0] ?? 0;
      else [x, y] = [x + (given[5] ?? 0), y + (given[6] ?? 0)];
      xs.push(x);
      ys.push(y);
    }
    return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  });
}

test.each([
  ["unchanged", 0, 5],
  ["first", 0, 5],
  ["failed", 0, 14],
  ["changed", 1, 10],
  ["changed", 1_000_000, 16],
] as const)("%s of %p lines is %p px", (status, size, height) => expect(tickHeight({ status, size })).toBe(height));
