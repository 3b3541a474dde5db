import pixelmatch from "pixelmatch";
import { seenDistance } from "./oklab.js";

/** Two pictures in RGBA, of equal size. */
export interface PixelPair {
  a: Uint8Array;
  b: Uint8Array;
  width: number;
  height: number;
}

export interface PixelDifference {
  /** Pixels that look different. */
  differing: number;
  /**
   * Pixels that are not exactly the same colour: besides the differing ones, edges that are only smoothed differently, and
   * colours closer than the threshold.
   */
  unequal: number;
}

/** Side in pixels of the cells that areas consist of. */
const cell = 16;
/**
 * The fewest pixels of a faint difference that count as an area: a person sees one of that size, such as a header or a
 * background of another colour.
 */
const areaMinPixels = 4 * cell * cell;
/** The share of a cell's pixels that must differ faintly for the cell to belong to an area. */
const flatShare = 0.5;
/** The least distance between the colours of an area, per unit of the threshold: 0.02 at the usual 0.1. */
const faintOfThreshold = 0.2;

/**
 * Marks the pixels that look different: those whose colours are further apart than the threshold, unless they only smooth
 * an edge (pixelmatch decides both), and fainter differences where they fill an area.
 * @param threshold 0…1
 * @param mask RGBA, as large as the pictures and empty: painted where they look different
 * @param paint red, green, blue
 */
export function comparePixels(
  given: PixelPair,
  threshold: number,
  mask: Uint8Array,
  paint: readonly [number, number, number],
): PixelDifference {
  const { width, height } = given;
  const pair = { a: aligned(given.a), b: aligned(given.b), width, height };
  const { a, b } = pair;
  const diffColor: [number, number, number] = [...paint];
  let differing = pixelmatch(a, b, mask, width, height, { threshold, diffMask: true, diffColor });
  const unequal = findUnequal(pair);
  if (unequal.length > differing && unequal.length >= areaMinPixels)
    for (const at of faintAreas(pair, unequal, threshold * faintOfThreshold)) {
      if (mask[at * 4 + 3] !== 0) continue;
      mask.set([...paint, 255], at * 4);
      differing += 1;
    }
  return { differing, unequal: unequal.length };
}

/** Copies a view whose offset is not a multiple of four, as pixels are read four bytes at a time. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
}

/** The indices of the pixels that are not equal. */
function findUnequal({ a, b, width, height }: PixelPair): Uint32Array {
  const pixels = width * height;
  const first = new Uint32Array(a.buffer, a.byteOffset, pixels);
  const second = new Uint32Array(b.buffer, b.byteOffset, pixels);
  const found = new Uint32Array(pixels);
  let count = 0;
  for (let at = 0; at < pixels; at += 1) if (first[at] !== second[at]) found[count++] = at;
  return found.slice(0, count);
}

/** The pixels of connected cells most of whose pixels differ faintly, where there are at least `areaMinPixels` of them. */
function faintAreas(pair: PixelPair, unequal: Uint32Array, faint: number): number[] {
  const { a, b, width } = pair;
  const columns = Math.ceil(width / cell);
  const members = new Map<number, number[]>();
  for (const at of unequal) {
    if (seenDistance(a, b, at * 4) < faint) continue;
    const place = Math.floor(at / width / cell) * columns + Math.floor((at % width) / cell);
    const list = members.get(place);
    if (list === undefined) members.set(place, [at]);
    else list.push(at);
  }
  for (const [place, list] of members)
    if (list.length < cellPixels(pair, place, columns) * flatShare) members.delete(place);
  const found: number[] = [];
  for (const start of [...members.keys()]) {
    const area = takeArea(members, start, columns);
    if (area.length >= areaMinPixels) for (const at of area) found.push(at);
  }
  return found;
}

/** The number of pixels in a cell; cells at the right and lower edge may be cut. */
function cellPixels({ width, height }: PixelPair, place: number, columns: number): number {
  const left = (place % columns) * cell;
  const top = Math.floor(place / columns) * cell;
  return Math.min(cell, width - left) * Math.min(cell, height - top);
}

/** Removes a cell, and all cells connected with it by their sides, from `members`. @returns their pixels */
function takeArea(members: Map<number, number[]>, start: number, columns: number): number[] {
  const area: number[] = [];
  for (const pending = [start]; pending.length > 0;) {
    const place = pending.pop() ?? 0;
    const list = members.get(place);
    if (list === undefined) continue;
    members.delete(place);
    for (const at of list) area.push(at);
    const column = place % columns;
    pending.push(place - columns, place + columns);
    if (column > 0) pending.push(place - 1);
    if (column < columns - 1) pending.push(place + 1);
  }
  return area;
}
