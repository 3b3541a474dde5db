import type { CheckState } from "@web-tester/contracts/entities/check";

const colours: Record<CheckState | "none", string> = {
  accepted: "#1a7f37",
  waiting: "#9a6700",
  rejected: "#cf222e",
  failed: "#cf222e",
  running: "#0969da",
  none: "#57606a",
};

/** The average width, in pixels, of a letter at 11 px. */
const letterPx = 6.6;
const shownMax = 40;

/**
 * Draws a badge as an SVG: a label and a state side by side.
 * @param label what the badge is about, as somebody wrote it
 */
export function badgePicture(label: string, state: CheckState | "none", words: string): string {
  const left = escaped(label.length > shownMax ? `${label.slice(0, shownMax - 1)}…` : label);
  const right = escaped(words);
  const [one, other] = [Math.ceil(left.length * letterPx) + 12, Math.ceil(right.length * letterPx) + 12];
  const text = (x: number, of: string) => `<text x="${x}" y="14">${of}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${one + other}" height="20" role="img" aria-label="${left}: ${right}">`,
    `<title>${left}: ${right}</title>`,
    `<rect width="${one}" height="20" rx="3" fill="#333b44"/><rect x="${one}" width="${other}" height="20" rx="3" fill="${colours[state]}"/>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">`,
    `${text(one / 2, left)}${text(one + other / 2, right)}</g></svg>`,
    "",
  ].join("\n");
}

const escaped = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, "")
    .toWellFormed()
    .replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
