import { describe, expect, test } from "@jest/globals";
import { findRegions } from "./find-regions.js";

const find = (pixels: [number, number][], width = 200, height = 100) => {
  const set = new Set(pixels.map(([x, y]) => y * width + x));
  return findRegions((x, y) => set.has(y * width + x), width, height);
};

describe("regions", () => {
  test("are around what is close together, from the top", () => {
    expect(
      find([
        [150, 80],
        [10, 5],
        [20, 7],
        [151, 81],
      ]),
    ).toEqual([
      { x: 10, y: 5, width: 11, height: 3 },
      { x: 150, y: 80, width: 2, height: 2 },
    ]);
  });

  test("do not join the two edges of a picture", () => {
    expect(
      find([
        [199, 5],
        [0, 20],
      ]),
    ).toHaveLength(2);
  });

  test("none where nothing differs, one where all does", () => {
    expect(find([])).toEqual([]);
    expect(findRegions(() => true, 50, 40)).toEqual([{ x: 0, y: 0, width: 50, height: 40 }]);
  });
});
