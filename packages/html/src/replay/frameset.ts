import type { EditableTag } from "../tokenizer/editable-tag.js";

/** Of a frame, which is white where its document has no ground of its own. */
export const frameStyle = "width: 100%; height: 100%; border: 0; background: #fff";

const framesetAttribute = "data-frameset";

/** To stand in a page with framesets: the outermost fills the window, as it takes the place of the body. */
export const framesetStyle = `<style>body>[${framesetAttribute}]{position:fixed;inset:0}</style>`;

/** Tracks of one frameset at most; a list may be longer than any page. */
const tracksMax = 200;
/** What browsers leave between frames where nothing else is asked for. */
const usualBorderPx = 6;

/** Frames of old (HTML 4, 16.2) as cells of a grid, which are filled row by row. */
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

/** @returns null where it is that of the frameset around this one */
function borderOf(tag: EditableTag): number | null {
  if (/^(?:0|no)$/i.test(tag.get("frameborder")?.trim() ?? "")) return 0;
  const border = Number.parseInt(tag.get("border") ?? tag.get("framespacing") ?? "", 10);
  return border >= 0 && border <= 100 ? border : null;
}

/**
 * Sizes as `cols` and `rows` list them: pixels, percentages and shares (`2*`). Where no share takes what is left the percentages do, and where there is none
 * of them either the pixels, as browsers have it: frames fill their window.
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
