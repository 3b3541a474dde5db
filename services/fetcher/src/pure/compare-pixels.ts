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
  /** All that are not the same colour: beside these, edges that are only smoothed otherwise, and colours closer than the threshold. */
  unequal: number;
}

/** Side of the cells that make an area. */
const cell = 16;
/** From so many pixels on a faint difference is an area: a person sees it, as it is a header or a ground of another colour. */
const areaMinPixels = 4 * cell * cell;
/** Share of a cell's pixels that differ faintly where it belongs to an area. */
const flatShare = 0.5;
/** How far apart the colours of an area are at least, for each unit of the threshold: 0.02 at the usual 0.1. */
const faintOfThreshold = 0.2;

/**
 * Tells which pixels look different. Those whose colours are further apart than the threshold do, unless they only smooth an edge
 * (pixelmatch tells both); fainter differences do where they fill an area.
 * @param threshold 0…1
 * @param mask RGBA as large as the pictures and empty: painted where they look different
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

/** Pixels are read four bytes at a time: a view that begins in between is copied. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
}

/** Indices of pixels that are not the same. */
function findUnequal({ a, b, width, height }: PixelPair): Uint32Array {
  const pixels = width * height;
  const first = new Uint32Array(a.buffer, a.byteOffset, pixels);
  const second = new Uint32Array(b.buffer, b.byteOffset, pixels);
  const found = new Uint32Array(pixels);
  let count = 0;
  for (let at = 0; at < pixels; at += 1) if (first[at] !== second[at]) found[count++] = at;
  return found.slice(0, count);
}

/** Pixels of connected cells that differ faintly in most of their pixels, where there are enough of them. */
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

/** Cells at the right and lower edge may be cut. */
function cellPixels({ width, height }: PixelPair, place: number, columns: number): number {
  const left = (place % columns) * cell;
  const top = Math.floor(place / columns) * cell;
  return Math.min(cell, width - left) * Math.min(cell, height - top);
}

/** Takes a cell and all that it is connected with, by sides, out of the others. @returns their pixels */
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
