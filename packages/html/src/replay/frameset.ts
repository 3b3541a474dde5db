import type { EditableTag } from "../tokenizer/editable-tag.js";

/** The style of a frame, which is white where its document has no background. */
export const frameStyle = "width: 100%; height: 100%; border: 0; background: #fff";

const framesetAttribute = "data-frameset";

/** The style for a page with framesets: the outermost one fills the window, as it replaces the body. */
export const framesetStyle = `<style>body>[${framesetAttribute}]{position:fixed;inset:0}</style>`;

/** The most tracks of one frameset; a list may be longer than any page. */
const tracksMax = 200;
/** The gap that browsers leave between frames by default. */
const usualBorderPx = 6;

/** Turns a frameset (HTML 4, 16.2) into a grid, whose cells are filled row by row. */
export function editFrameset(tag: EditableTag): void {
  const border = borderOf(tag);
  const style = [
    "display: grid; width: 100%; height: 100%; overflow: hidden; grid-auto-rows: 0",
    `grid-template-columns: ${tracksOf(tag.get("cols"))}`,
    `grid-template-rows: ${tracksOf(tag.get("rows"))}`,
    ...(border === null ? [] : [`--frameset-border: ${border}px`]),
    `gap: var(--frameset-border, ${usualBorderPx}px)`,
    "background: #d0d0d0",
  ].join("; ");
  tag.rename("div");
  tag.set(framesetAttribute, "");
  tag.set("style", style);
}

/** @returns null where it inherits the border of the frameset around it */
function borderOf(tag: EditableTag): number | null {
  if (/^(?:0|no)$/i.test(tag.get("frameborder")?.trim() ?? "")) return 0;
  const border = Number.parseInt(tag.get("border") ?? tag.get("framespacing") ?? "", 10);
  return border >= 0 && border <= 100 ? border : null;
}

/**
 * Converts sizes as in `cols` and `rows`: pixels, percentages and shares (`2*`). Where there is no share to take the
 * remaining space, the percentages are stretched, and without percentages the pixels, as in browsers: frames fill their
 * window.
 */
function tracksOf(list: string | undefined): string {
  const sizes = (list ?? "").split(",", tracksMax).map(readSize);
  const stretched = ["*", "%", "px"].find((unit) => sizes.some((size) => size.unit === unit));
  return sizes.map(({ value, unit }) => (unit === stretched ? `minmax(0, ${value}fr)` : `${value}${unit}`)).join(" ");
}

function readSize(text: string): { value: number; unit: string } {
  const [, digits = "", unit = ""] = /^\s*(\d{0,6}(?:\.\d{1,6})?)\s*([%*]?)/.exec(text) ?? [];
  if (digits === "") return { value: 1, unit: "*" };
  return { value: unit === "*" ? Math.max(Number(digits), 0.01) : Number(digits), unit: unit === "" ? "px" : unit };
}
