/** sRGB channel (0…255) → linear light (0…1). */
const linear = Float32Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/**
 * Returns how different two colours look: 0 for the same, 1 for black and white; about 0.02 can just be seen. It is their
 * distance in OKLab.
 * @param a, b pixels in RGBA; alpha is ignored
 */
export function seenDistance(a: Uint8Array, b: Uint8Array, at: number): number {
  const [lightness, green, blue] = toOklab(a[at] ?? 0, a[at + 1] ?? 0, a[at + 2] ?? 0);
  const [otherLightness, otherGreen, otherBlue] = toOklab(b[at] ?? 0, b[at + 1] ?? 0, b[at + 2] ?? 0);
  return Math.hypot(lightness - otherLightness, green - otherGreen, blue - otherBlue);
}

function toOklab(red: number, green: number, blue: number): [lightness: number, a: number, b: number] {
  const r = linear[red] ?? 0;
  const g = linear[green] ?? 0;
  const b = linear[blue] ?? 0;
  const l = Math.cbrt(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b);
  const m = Math.cbrt(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b);
  const s = Math.cbrt(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b);
  return [
    0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s,
    1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s,
    0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s,
  ];
}
