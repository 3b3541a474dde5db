import type { Digest } from "@web-tester/contracts/entities/digest";
import { escapeHtml } from "./clean.js";
import { outlineOf, type OutlineLine } from "./outline.js";
import { subject } from "./sentence.js";

/** The most characters of the text or HTML of a mail, because some clients cut off longer ones. */
const maxChars = 28_000;
const textMarks: Readonly<Partial<Record<OutlineLine["kind"], string>>> = {
  group: "* ",
  removed: "  - ",
  added: "  + ",
  page: "  ",
  more: "  ",
};

/** Returns a mail as plain text. */
export function toText(digest: Digest): string {
  const lines = outlineOf(digest).flatMap(({ kind, text, link }) => [
    `${kind === "heading" ? "\n" : ""}${textMarks[kind] ?? ""}${text}`,
    ...(link === null || kind === "heading" ? [] : [`    ${link}`]),
  ]);
  return joined(lines, "\n").trim();
}

/* Mail clients drop style sheets and handle only tables well, so each cell has inline styles; the colours are readable on white and on black. */
const styles: Readonly<Record<OutlineLine["kind"], string>> = {
  heading: "padding:20px 0 2px;font-size:17px;font-weight:600",
  said: "padding:0 0 10px;font-size:15px",
  group: "padding:8px 0 2px;font-weight:600",
  removed: "padding:2px 8px;border-left:3px solid #d1434b;font-family:monospace;font-size:13px",
  added: "padding:2px 8px;border-left:3px solid #2e9e5b;font-family:monospace;font-size:13px",
  label: "padding:10px 0 2px;font-weight:600",
  page: "padding:1px 0 1px 12px",
  more: "padding:4px 0 4px 12px;color:#7a7f87",
};
const marks: Readonly<Partial<Record<OutlineLine["kind"], string>>> = { removed: "− ", added: "+ " };

/** Returns the snapshots whose pictures the mail can show, in order. */
export const picturesOf = (digest: Digest): string[] => [
  ...new Set(outlineOf(digest).flatMap(({ snapshotId }) => snapshotId ?? [])),
];

/**
 * Returns the same mail as self-contained HTML, which loads nothing.
 * @param pictures the `Content-ID` of the picture by snapshot, for pictures attached to the mail
 */
export function toHtml(digest: Digest, pictures: ReadonlyMap<string, string> = new Map()): string {
  const rows = outlineOf(digest).map(({ kind, text, link, snapshotId }) => {
    const words = escapeHtml(`${marks[kind] ?? ""}${text}`);
    const shown = link === null ? words : `<a href="${escapeHtml(link)}" style="color:#4f5bd5">${words}</a>`;
    const cid = snapshotId === undefined || snapshotId === null ? undefined : pictures.get(snapshotId);
    const picture =
      cid === undefined
        ? ""
        : `<br><img src="cid:${escapeHtml(cid)}" width="200" alt="" style="margin-top:6px;border:1px solid #c5c9d0">`;
    return `<tr><td style="${styles[kind]};word-break:break-word">${shown}${picture}</td></tr>`;
  });
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject(digest))}</title></head>`;
  const table = `<table role="presentation" cellpadding="0" cellspacing="0" style="max-width:680px;width:100%;font-family:Helvetica,Arial,sans-serif;font-size:14px;line-height:1.45">`;
  return `${head}<body style="margin:0;padding:16px">${table}${joined(rows, "")}</table></body></html>`;
}

/** Joins as many lines as there is room for. */
function joined(lines: readonly string[], between: string): string {
  let left = maxChars;
  const fitting = lines.filter((line) => (left -= line.length + between.length) >= 0);
  return fitting.join(between);
}
