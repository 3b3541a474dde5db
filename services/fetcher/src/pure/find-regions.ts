import type { PictureRegion } from "@web-tester/contracts/entities/compare";

/**
 * Side in pixels of the cells that differing pixels are gathered in: pixels in the same or in adjoining cells belong together.
 */
const cell = 16;

/**
 * Returns rectangles around the pixels that differ, from top to bottom, then from left to right: pixels about a word's
 * distance apart share one. Time is linear in the pixels.
 * @param differs whether the pixels at `x`, `y` differ
 */
export function findRegions(
  differs: (x: number, y: number) => boolean,
  width: number,
  height: number,
): PictureRegion[] {
  const columns = Math.ceil(width / cell);
  const rows = Math.ceil(height / cell);
  const boxes: (Box | undefined)[] = Array.from({ length: columns * rows });
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (!differs(x, y)) continue;
      const at = Math.floor(y / cell) * columns + Math.floor(x / cell);
      boxes[at] = around(boxes[at], { left: x, top: y, right: x + 1, bottom: y + 1 });
    }
  const regions: PictureRegion[] = [];
  for (let start = 0; start < boxes.length; start++) {
    const first = boxes[start];
    if (first === undefined) continue;
    let whole: Box = first;
    boxes[start] = undefined;
    // a list instead of recursion: a region may be as large as the page
    for (const pending = [start]; pending.length > 0;) {
      const at = pending.pop() ?? 0;
      const column = at % columns;
      for (let down = -1; down <= 1; down++)
        for (let across = -1; across <= 1; across++) {
          const next = at + down * columns + across;
          const box = boxes[next];
          if (box === undefined || column + across < 0 || column + across >= columns) continue;
          boxes[next] = undefined;
          whole = around(whole, box);
          pending.push(next);
        }
    }
    regions.push({ x: whole.left, y: whole.top, width: whole.right - whole.left, height: whole.bottom - whole.top });
  }
  return regions.toSorted((one, other) => one.y - other.y || one.x - other.x);
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function around(one: Box | undefined, other: Box): Box {
  if (one === undefined) return other;
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}
