import { expect, test } from "@jest/globals";
import { comparePixels } from "./compare-pixels.js";

type Colour = readonly [number, number, number];
const white: Colour = [255, 255, 255];
const paint = [214, 51, 132] as const;

/** Draws a picture of one colour with rectangles of others. */
function picture(width: number, height: number, ground: Colour, ...boxes: [Colour, number, number, number, number][]) {
  const data = new Uint8Array(width * height * 4);
  const fill = (colour: Colour, left: number, top: number, wide: number, high: number) => {
    for (let y = top; y < top + high; y += 1)
      for (let x = left; x < left + wide; x += 1) data.set([...colour, 255], (y * width + x) * 4);
  };
  fill(ground, 0, 0, width, height);
  for (const [colour, ...box] of boxes) fill(colour, ...box);
  return data;
}

function compare(a: Uint8Array, b: Uint8Array, width: number, height: number, threshold = 0.1) {
  const mask = new Uint8Array(width * height * 4);
  const found = comparePixels({ a, b, width, height }, threshold, mask, paint);
  let painted = 0;
  for (let at = 3; at < mask.length; at += 4) if (mask[at] !== 0) painted += 1;
  expect(painted).toBe(found.differing);
  return found;
}

test.each<[string, Colour, Colour]>([
  ["#223344 to navy", [0x22, 0x33, 0x44], [0, 0, 128]],
  ["white to a light grey", white, [240, 240, 240]],
  ["black to a dark grey", [0, 0, 0], [20, 20, 20]],
  ["a brand's blue to another", [59, 130, 246], [37, 120, 240]],
])("a header that went from %s differs, all of it", (_name, before, after) => {
  const [a, b] = [before, after].map((colour) => picture(320, 200, white, [colour, 0, 0, 320, 48])) as [
    Uint8Array,
    Uint8Array,
  ];
  expect(compare(a, b, 320, 200)).toEqual({ differing: 320 * 48, unequal: 320 * 48 });
});

test("a faint difference that is small, or thin, stays below the threshold, and is counted as unequal", () => {
  const [grey, ground]: [Colour, Colour] = [[240, 240, 240], white];
  const a = picture(320, 200, ground);
  expect(compare(a, picture(320, 200, ground, [grey, 10, 10, 20, 20]), 320, 200)).toEqual({
    differing: 0,
    unequal: 400,
  });
  expect(compare(a, picture(320, 200, ground, [grey, 0, 10, 320, 4]), 320, 200)).toEqual({
    differing: 0,
    unequal: 1280,
  });
});

test("what nobody can see does not count, however large it is; at threshold 0 all that is unequal does", () => {
  const [a, b] = [picture(320, 200, white), picture(320, 200, [254, 255, 254])];
  expect(compare(a, b, 320, 200)).toEqual({ differing: 0, unequal: 64_000 });
  expect(compare(a, b, 320, 200, 0)).toEqual({ differing: 64_000, unequal: 64_000 });
});

test("equal pictures have no unequal pixel", () => {
  const a = picture(50, 50, white, [[1, 2, 3], 5, 5, 9, 9]);
  expect(compare(a, a.slice(), 50, 50)).toEqual({ differing: 0, unequal: 0 });
});

test("reads pictures that begin anywhere in a buffer, and whose sides do not fit the cells", () => {
  const a = picture(37, 51, white);
  const b = picture(37, 51, [240, 240, 240]);
  const shifted = new Uint8Array(b.length + 1);
  shifted.set(b, 1);
  expect(compare(a, shifted.subarray(1), 37, 51)).toEqual({ differing: 37 * 51, unequal: 37 * 51 });
});

test("faint areas are found one by one", () => {
  const grey: Colour = [240, 240, 240];
  const b = picture(320, 200, white, [grey, 0, 0, 64, 64], [grey, 256, 128, 64, 64], [grey, 128, 128, 16, 16]);
  expect(compare(picture(320, 200, white), b, 320, 200)).toEqual({
    differing: 2 * 64 * 64,
    unequal: 2 * 64 * 64 + 256,
  });
});
