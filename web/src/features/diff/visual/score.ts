import { formatNumber } from "../../../texts/number.js";
import { t } from "../../../texts/text.js";

/** The share of pixels that differ, in per cent with one decimal; rounding never makes a difference 0 %, nor a partial one 100 %. */
export function differingShare({ differing, pixels }: { differing: number; pixels: number }): string {
  const percent = pixels === 0 ? 0 : (differing / pixels) * 100;
  if (percent > 0 && percent < 0.1) return t("Less than 0.1 %");
  if (percent < 100 && percent > 99.9) return t("More than 99.9 %");
  return `${formatNumber(percent, 1)} %`;
}
