import type { Digest } from "@web-tester/contracts/entities/digest";
import { escapeHtml } from "./clean.js";
import { outlineOf, type OutlineLine } from "./outline.js";
import { subject } from "./sentence.js";

/** Letters and HTML of a mail stay below this, as some clients cut off what is longer. */
const maxChars = 28_000;
const textMarks: Readonly<Partial<Record<OutlineLine["kind"], string>>> = {
  group: "* ",
  removed: "  - ",
  added: "  + ",
  page: "  ",
  more: "  ",
};

/** A mail without HTML. */
export function toText(digest: Digest): string {
  const lines = outlineOf(digest).flatMap(({ kind, text, link }) => [
    `${kind === "heading" ? "\n" : ""}${textMarks[kind] ?? ""}${text}`,
    ...(link === null || kind === "heading" ? [] : [`    ${link}`]),
  ]);
  return joined(lines, "\n").trim();
}

/* Clients drop style sheets and know only tables well, so each cell says how it looks; colours hold on white and on black. */
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

/** The same mail as HTML, complete in itself: nothing is loaded from anywhere. */
export function toHtml(digest: Digest): string {
  const rows = outlineOf(digest).map(({ kind, text, link }) => {
    const words = escapeHtml(`${marks[kind] ?? ""}${text}`);
    const shown = link === null ? words : `<a href="${escapeHtml(link)}" style="color:#4f5bd5">${words}</a>`;
    return `<tr><td style="${styles[kind]};word-break:break-word">${shown}</td></tr>`;
  });
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject(digest))}</title></head>`;
  const table = `<table role="presentation" cellpadding="0" cellspacing="0" style="max-width:680px;width:100%;font-family:Helvetica,Arial,sans-serif;font-size:14px;line-height:1.45">`;
  return `${head}<body style="margin:0;padding:16px">${table}${joined(rows, "")}</table></body></html>`;
}

/** As many lines as there is room for. */
function joined(lines: readonly string[], between: string): string {
  let left = maxChars;
  const fitting = lines.filter((line) => (left -= line.length + between.length) >= 0);
  return fitting.join(between);
}
