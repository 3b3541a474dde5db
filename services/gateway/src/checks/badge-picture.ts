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
  const name = shown(label.length > shownMax ? `${label.slice(0, shownMax - 1)}…` : label);
  const [one = 0, other = 0] = [name, shown(words)].map((each) => Math.ceil(each.length * letterPx) + 12);
  const [left, right] = [escaped(name), escaped(shown(words))];
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

const shown = (text: string): string => text.replaceAll(/[\p{Cc}\ufffe\uffff]/gu, "").toWellFormed();
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
