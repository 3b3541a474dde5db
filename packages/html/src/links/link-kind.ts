/** The place of a page in which an address was found. */
export type LinkKind = "a" | "area" | "next" | "prev" | "canonical" | "alternate" | "iframe" | "frame" | "refresh";

/**
 * Returns what a `link` element with an address means to a crawl; null where it leads to no page: stylesheets (alternate
 * ones too), icons, and alternates whose `type` says that they are not HTML (feeds, oEmbed), which would cost a useless
 * request per page.
 */
export function linkKind(rel: string | undefined, type: string | undefined): LinkKind | null {
  const words = (rel ?? "").toLowerCase().split(/[\t\n\f\r ]/);
  if (words.includes("canonical")) return "canonical";
  if (words.includes("next")) return "next";
  if (words.includes("prev") || words.includes("previous")) return "prev";
  return words.includes("alternate") && !words.includes("stylesheet") && mayBeHtml(type) ? "alternate" : null;
}

function mayBeHtml(type: string | undefined): boolean {
  const [essence = ""] = (type ?? "").split(";");
  return /^(?:|text\/html|application\/xhtml\+xml)$/i.test(trimHtml(essence));
}

/**
 * Trims HTML white space at both ends; other spaces, such as U+00A0, belong to the text. Linear, unlike a regular
 * expression's trailing `\s+$`.
 */
export function trimHtml(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isTrimmed(text.charCodeAt(start))) start += 1;
  while (end > start && isTrimmed(text.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isTrimmed(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}
