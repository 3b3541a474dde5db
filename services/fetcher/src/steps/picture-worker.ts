import { PNG } from "pngjs";
import { comparePixels } from "../pure/compare-pixels.js";
import { findRegions } from "../pure/find-regions.js";
import type { PictureDifference, PictureTask } from "./picture-comparer.js";

const regionsMax = 200;
/** The colour (RGB) in which the mask is painted where pictures differ. */
const paint = [214, 51, 132] as const;

/** Compares two pictures, in a worker thread. The part that only the taller picture has counts as different. */
export default function work({ a, b, threshold }: PictureTask): PictureDifference {
  const one = PNG.sync.read(Buffer.from(a.buffer, a.byteOffset, a.byteLength));
  const other = PNG.sync.read(Buffer.from(b.buffer, b.byteOffset, b.byteLength));
  const width = Math.min(one.width, other.width);
  const common = Math.min(one.height, other.height);
  const height = Math.max(one.height, other.height);
  const mask = new PNG({ width, height });
  mask.data.fill(0);
  const bytes = width * common * 4;
  const { differing, unequal } = comparePixels(
    { a: one.data.subarray(0, bytes), b: other.data.subarray(0, bytes), width, height: common },
    threshold,
    mask.data.subarray(0, bytes),
    paint,
  );
  for (let at = bytes; at < mask.data.length; at += 4) mask.data.set([...paint, 255], at);
  const alpha = (x: number, y: number) => (mask.data[(y * width + x) * 4 + 3] ?? 0) > 0;
  const regions = findRegions(alpha, width, height);
  const onlyOne = (height - common) * width;
  const all = differing + onlyOne;
  return {
    differing: all,
    unequal: unequal + onlyOne,
    pixels: width * height,
    regions: regions.slice(0, regionsMax),
    regionsTotal: regions.length,
    mask: all === 0 ? null : PNG.sync.write(mask, { deflateLevel: 3 }),
  };
}
