import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import { formatExactly } from "../../../ui/format/dates.js";
import { counted } from "../../../ui/format/words.js";
import { type Piece, piecesOf } from "../../../ui/code/unseen.js";
import { type Token, tokenValue } from "../../../ui/theme/tokens.js";
import { language } from "../../../texts/language.js";
import { t } from "../../../texts/text.js";
import { cutAtMarks, type FlatRow, flatRows } from "./flat-rows.js";

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** Escapes stored text, so that it never becomes markup. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

const tokens: readonly Token[] = [
  "bg",
  "surface",
  "sunken",
  "line",
  "text",
  "text-2",
  "added-text",
  "added-soft",
  "added-mark",
  "removed-text",
  "removed-soft",
  "removed-mark",
];
const colours = (theme: "light" | "dark") => tokens.map((name) => `--${name}:${tokenValue(name, theme)}`).join(";");

const style = () => `
:root{color-scheme:light dark;${colours("light")}}
@media (prefers-color-scheme:dark){:root{${colours("dark")}}}
@media print{:root{color-scheme:light;${colours("light")}}tr{break-inside:avoid}}
body{margin:0;padding:24px;background:var(--bg);color:var(--text);font:14px/20px system-ui,sans-serif;print-color-adjust:exact;-webkit-print-color-adjust:exact}
h1{font-size:20px;line-height:28px;margin:0 0 4px;overflow-wrap:anywhere}
p{margin:0 0 4px;color:var(--text-2);overflow-wrap:anywhere}
table{width:100%;margin-top:16px;border-collapse:collapse;border:1px solid var(--line);background:var(--surface);font:12.5px/20px ui-monospace,monospace}
td{padding:0 8px;vertical-align:top}
td.n{width:1px;text-align:right;color:var(--text-2);user-select:none;white-space:nowrap}
td.s{width:1px;padding:0 4px;user-select:none;font-weight:600}
td.t{white-space:pre-wrap;overflow-wrap:anywhere}
mark{color:inherit}
mark span::before{content:attr(data-unseen);display:inline-block;unicode-bidi:isolate;direction:ltr;padding:0 2px;font-size:10px;line-height:14px}
@media (forced-colors:active){mark span::before{forced-color-adjust:none;background:Mark;color:MarkText}}
td.t i{margin-inline-start:12px;color:var(--text-2);font:12px/16px system-ui,sans-serif;user-select:none}
tr.removed{background:var(--removed-soft)}tr.removed td.s{color:var(--removed-text)}tr.removed mark{background:var(--removed-mark)}
tr.added{background:var(--added-soft)}tr.added td.s{color:var(--added-text)}tr.added mark{background:var(--added-mark)}
tr.ignored{background:none;color:var(--text-2)}tr.ignored mark{background:none;text-decoration:underline dotted}
tr.gap td{background:var(--sunken);color:var(--text-2);font-family:system-ui,sans-serif;padding:4px 8px}
`;

const signs = { context: "", removed: "−", added: "+" } as const;

const pieceOf = ({ text, name }: Piece): string =>
  name === undefined ? escaped(text) : `<span data-unseen="${name}">${escaped(text)}</span>`;

function rowOf(row: FlatRow): string {
  if (row.kind === "gap")
    return `<tr class="gap"><td colspan="4">${escaped(counted(row.count, "unchanged line"))}</td></tr>`;
  const text = cutAtMarks(row.text, row.marks)
    .map(([part, isMarked]) => (isMarked ? `<mark>${piecesOf(part).map(pieceOf).join("")}</mark>` : escaped(part)))
    .join("");
  const end = row.end === "" ? "" : `<i>${escaped(row.end)}</i>`;
  return `<tr class="${row.kind}${row.ignored ? " ignored" : ""}"><td class="n">${row.a ?? ""}</td><td class="n">${row.b ?? ""}</td><td class="s">${signs[row.kind]}</td><td class="t">${text}${end}</td></tr>`;
}

/**
 * Exports a difference as an HTML page: one file that needs nothing else, runs no scripts and sends no requests.
 * @param address of the comparison in the product
 */
export function diffDocument(diff: DiffHunks, title: string, address: string): string {
  const side = (letter: "A" | "B", { number, created_at }: DiffHunks["a"]) =>
    `<p><b>${letter}</b> ${escaped(t("Snapshot {number}", { number: String(number) }))}, ${escaped(formatExactly(created_at))}</p>`;
  const sums = `${counted(diff.changes, "change")}, +${diff.added} −${diff.removed}`;
  const notes = [
    diff.coarse ? t("This comparison is coarser than usual") : "",
    diff.truncated ? t("Not all changes are shown") : "",
  ].filter((note) => note !== "");
  return `<!doctype html>
<html lang="${language()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style()}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(diff.instance.url)}</p>
${side("A", diff.a)}
${side("B", diff.b)}
<p>${escaped([sums, ...notes].join(". "))}</p>
<p>${escaped(address)}</p>
<table>
${flatRows(diff).map(rowOf).join("\n")}
</table>
</body>
</html>
`;
}
