import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import { formatDate } from "../../../ui/format/dates.js";
import { counted } from "../../../ui/format/words.js";
import { type ThemeName, type Token, tokenValue } from "../../../ui/theme/tokens.js";
import { t } from "../../../texts/text.js";
import { type FlatRow, flatRows } from "./flat-rows.js";

/** Measures in CSS pixels; the picture has twice as many in each direction. */
const width = 1200;
const padding = 24;
const lineHeight = 20;
const scale = 2;
/** The largest height that canvases of all browsers support, in device pixels. */
const mostHeight = 16_000;
/** Width of the numbers of both sides and the sign. */
const gutter = 132;
const family = '"JetBrains Mono Variable", ui-monospace, monospace';
const wordFamily = '"Inter Variable", system-ui, sans-serif';

/** A part of a line that fits in a row of the picture. */
export interface PictureRow {
  readonly row: FlatRow;
  /** Where the part begins in the text of its line; 0 for the first part. */
  readonly from: number;
  readonly to: number;
  /** Words after the part; empty except for the last part of a line. */
  readonly end: string;
}

/** Characters between a line and the words after it. */
const endGap = 2;

/** Splits one line into parts; words that do not fit after its last part get a part of their own. */
function* partsOf(row: FlatRow, columns: number): Generator<PictureRow> {
  const [length, end] = row.kind === "gap" ? [0, ""] : [row.text.length, row.end];
  const parts = countParts(row, columns);
  for (let part = 0; part < parts; part += 1)
    yield {
      row,
      from: Math.min(length, part * columns),
      to: Math.min(length, (part + 1) * columns),
      end: part === parts - 1 ? end : "",
    };
}

function countParts(row: FlatRow, columns: number): number {
  if (row.kind === "gap") return 1;
  const length = row.text.length + (row.end === "" ? 0 : endGap + row.end.length);
  return Math.max(1, Math.ceil(length / columns));
}

/** Breaks lines into rows of `columns` characters, as many rows as a picture has room for; `left` counts the lines without room. */
export function pictureRows(
  rows: readonly FlatRow[],
  columns: number,
  most: number,
): { shown: PictureRow[]; left: number } {
  const shown: PictureRow[] = [];
  for (const [index, row] of rows.entries()) {
    if (shown.length + countParts(row, columns) > most) {
      // a line that is longer than the whole picture is shown as far as there is room
      if (shown.length === 0) shown.push(...[...partsOf(row, columns)].slice(0, most));
      return { shown, left: linesIn(rows.slice(index)) };
    }
    shown.push(...partsOf(row, columns));
  }
  return { shown, left: 0 };
}

const linesIn = (rows: readonly FlatRow[]) => rows.reduce((sum, row) => sum + (row.kind === "gap" ? row.count : 1), 0);

/**
 * Exports a difference as a PNG, drawn in the browser: nothing is sent anywhere.
 * @param theme the one on screen
 * @throws Error where the browser cannot draw pictures
 */
export async function diffPicture(diff: DiffHunks, title: string, theme: ThemeName): Promise<Blob> {
  await document.fonts.ready;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (context === null) throw new Error(t("This browser cannot draw the picture. Download the HTML instead."));
  context.font = `12.5px ${family}`;
  const columns = Math.floor((width - 2 * padding - gutter - 8) / context.measureText("0").width);
  const headPx = padding + 84;
  const most = Math.floor((mostHeight / scale - headPx - padding) / lineHeight) - 1;
  const { shown, left } = pictureRows(flatRows(diff), columns, most);
  const height = headPx + (shown.length + (left > 0 ? 1 : 0)) * lineHeight + padding;
  canvas.width = width * scale;
  canvas.height = height * scale;
  context.scale(scale, scale);
  const colour = (token: Token) => tokenValue(token, theme);
  context.fillStyle = colour("bg");
  context.fillRect(0, 0, width, height);
  context.textBaseline = "middle";
  drawHead(context, diff, title, colour);
  context.fillStyle = colour("surface");
  context.fillRect(padding, headPx, width - 2 * padding, shown.length * lineHeight);
  shown.forEach((each, index) => drawRow(context, each, headPx + index * lineHeight, colour));
  if (left > 0) {
    context.font = `13px ${wordFamily}`;
    context.fillStyle = colour("text-2");
    context.fillText(
      t("{lines} more are not in this picture", { lines: counted(left, "line") }),
      padding,
      headPx + shown.length * lineHeight + lineHeight / 2,
    );
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob === null) throw new Error(t("This browser cannot draw the picture. Download the HTML instead."));
  return blob;
}

type Colour = (token: Token) => string;

function drawHead(context: CanvasRenderingContext2D, diff: DiffHunks, title: string, colour: Colour): void {
  const most = width - 2 * padding;
  context.fillStyle = colour("text");
  context.font = `650 20px ${wordFamily}`;
  context.fillText(title, padding, padding + 10, most);
  context.font = `13px ${wordFamily}`;
  context.fillStyle = colour("text-2");
  context.fillText(diff.instance.url, padding, padding + 36, most);
  const side = ({ number, created_at }: DiffHunks["a"]) =>
    `${t("Snapshot {number}", { number: String(number) })}, ${formatDate(created_at)}`;
  const sums = `${counted(diff.changes, "change")}, +${diff.added} −${diff.removed}`;
  context.fillText(`A ${side(diff.a)}   B ${side(diff.b)}   ${sums}`, padding, padding + 58, most);
}

const tones = {
  removed: { ground: "removed-soft", mark: "removed-mark", text: "removed-text", sign: "−" },
  added: { ground: "added-soft", mark: "added-mark", text: "added-text", sign: "+" },
} as const;

function drawRow(
  context: CanvasRenderingContext2D,
  { row, from, to, end: words }: PictureRow,
  top: number,
  colour: Colour,
): void {
  const middle = top + lineHeight / 2;
  if (row.kind === "gap") {
    context.fillStyle = colour("sunken");
    context.fillRect(padding, top, width - 2 * padding, lineHeight);
    context.fillStyle = colour("text-2");
    context.font = `12px ${wordFamily}`;
    context.fillText(counted(row.count, "unchanged line"), padding + gutter, middle);
    return;
  }
  const tone = row.kind === "context" || row.ignored ? undefined : tones[row.kind];
  if (tone !== undefined) {
    context.fillStyle = colour(tone.ground);
    context.fillRect(padding, top, width - 2 * padding, lineHeight);
  }
  context.font = `12.5px ${family}`;
  const left = padding + gutter;
  const place = (index: number) => left + context.measureText(row.text.slice(from, index)).width;
  if (tone !== undefined) {
    context.fillStyle = colour(tone.mark);
    for (const [start, end] of row.marks) {
      const [begin, stop] = [Math.max(start, from), Math.min(end, to)];
      if (begin < stop) context.fillRect(place(begin), top + 1, place(stop) - place(begin), lineHeight - 2);
    }
  }
  if (from === 0) {
    context.fillStyle = colour("text-2");
    context.textAlign = "right";
    context.fillText(row.a === undefined ? "" : String(row.a), padding + 48, middle);
    context.fillText(row.b === undefined ? "" : String(row.b), padding + 100, middle);
    context.textAlign = "left";
    if (tone !== undefined) context.fillStyle = colour(tone.text);
    context.fillText(row.kind === "context" ? "" : tones[row.kind].sign, padding + 110, middle);
  }
  context.fillStyle = colour(row.ignored ? "text-2" : "text");
  context.fillText(row.text.slice(from, to).replaceAll("\t", " "), left, middle);
  if (words === "") return;
  context.fillStyle = colour("text-2");
  const gap = from === to && from > 0 ? 0 : endGap;
  context.fillText(" ".repeat(gap) + words, place(to), middle);
}
