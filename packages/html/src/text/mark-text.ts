/** The meaning of a mark: text that only the newer page has, or only the older one. */
export type MarkKind = "added" | "removed";

/** An element name that no style sheet of a page knows: a page's rules for `span` or `ins` must not affect the marks. */
const element = "wt-mark";
const looks: Record<MarkKind, string> = {
  added: "background:#a9e2bc!important;color:#0b3d20!important;box-shadow:0 0 0 1px #2a9a5b!important",
  removed:
    "background:#f8bfb7!important;color:#5c130b!important;box-shadow:0 0 0 1px #d9483b!important;text-decoration:line-through!important",
};
export const markEnd = `</${element}>`;

/** Returns the start tag of a mark. */
export function markStart(kind: MarkKind): string {
  return `<${element} data-change="${kind}" style="${looks[kind]}">`;
}

/**
 * Puts marks around pieces of a page's text; apart from them the page is unchanged.
 * @param ranges start and end of one piece after the other, ascending, not overlapping, none across a tag (`textWords`)
 */
export function markText(html: string, ranges: readonly number[], kind: MarkKind): string {
  const start = markStart(kind);
  const parts: string[] = [];
  let copied = 0;
  for (let index = 0; index + 1 < ranges.length; index += 2) {
    const from = ranges[index] ?? 0;
    const to = ranges[index + 1] ?? 0;
    if (from < copied || to <= from || to > html.length) continue;
    parts.push(html.slice(copied, from), start, html.slice(from, to), markEnd);
    copied = to;
  }
  parts.push(html.slice(copied));
  return parts.join("");
}
