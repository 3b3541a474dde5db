import type { DiffHunk, DiffLine } from "@web-tester/diff/hunks/hunks";

/** A removed and an added line that differ only in values of attributes that repeat all over a page: addresses and class names. */
export interface AttributeChange {
  readonly removed: DiffLine;
  readonly added: DiffLine;
  /** The tags and attributes of the changed values, each once, such as `a href`. */
  readonly where: string;
  /**
   * Whether a part of an address changed that names a version, such as `v2.9.0` in `/docs/v2.9.0/intro`, or a place in a page,
   * such as `line-20` in `/source#line-20`.
   */
  readonly isVersion: boolean;
}

/** Longer lines are not looked at: a change in them stays what it is. */
const lineMaxChars = 4000;
/** Likewise lines with more changes. */
const marksMax = 50;
/** Matches the name of an attribute whose value nobody reads: it leads somewhere, or names the element for style sheets and scripts. */
const nameBefore =
  /(?:^|[\s"'])((?:xlink:)?href|src|srcset|data-src|action|formaction|poster|cite|class|id|for|aria-(?:labelledby|describedby|controls))\s*=\s*$/i;
const attributeMaxChars = 30;
/** Matches the beginning of a word that is an address in the text form of a page, where it stands behind the text of its link. */
const inBrackets = /^\((?:https?:)?\/\//i;
const version = /^v?\d+(?:\.\d+)+(?:[-+.]?[a-z0-9.]+)?$/i;

/**
 * Takes the lines that differ only in addresses or class names out of hunks. With a version or a host in the addresses of all links,
 * a release changes each link of a page, and the rest of its changes would be lost among them; likewise where a row that is put into
 * a list makes odd ones of all even rows below it.
 */
export function splitAttributes(hunks: readonly DiffHunk[]): { rest: DiffHunk[]; attributes: AttributeChange[] } {
  const attributes: AttributeChange[] = [];
  const rest: DiffHunk[] = [];
  for (const hunk of hunks) {
    const left = withoutAttributes(hunk.lines, attributes);
    if (left.length > 0) rest.push(left.length === hunk.lines.length ? hunk : { ...hunk, lines: left });
  }
  return { rest, attributes };
}

/** @param found gets the changes of attributes */
function withoutAttributes(lines: DiffLine[], found: AttributeChange[]): DiffLine[] {
  if (lines[0]?.marks === undefined || lines[0].kind !== "removed") return lines;
  const removed = lines.filter(({ kind }) => kind === "removed");
  const added = lines.filter(({ kind }) => kind === "added");
  if (removed.length !== added.length) return lines;
  const taken = new Set<DiffLine>();
  for (const [index, one] of removed.entries()) {
    const other = added[index];
    const change = other && attributeChange(one, other);
    if (!change) continue;
    found.push(change);
    taken.add(change.removed).add(change.added);
  }
  return taken.size === 0 ? lines : lines.filter((line) => !taken.has(line));
}

/** Returns null where something else differs, too. */
function attributeChange(removed: DiffLine, added: DiffLine): AttributeChange | null {
  if (Math.max(removed.text.length, added.text.length) > lineMaxChars) return null;
  const before = placesOf(removed);
  const after = before && placesOf(added);
  if (!before || !after || keptOf(removed) !== keptOf(added)) return null;
  // a word that came or went altogether is marked on one side only
  const where = before.where || after.where;
  if (where === "" || (after.where || where) !== where) return null;
  return { removed, added, where, isVersion: before.isVersion && after.isVersion };
}

/** Returns null unless all marks of a line are in such attributes. */
function placesOf({ text, marks = [] }: DiffLine): Pick<AttributeChange, "where" | "isVersion"> | null {
  if (marks.length > marksMax) return null;
  const where = new Set<string>();
  let isVersion = false;
  for (const [from, to] of marks) {
    const place = placeAt(text, from, to);
    if (place === null) return null;
    where.add(place);
    isVersion ||= isVersionAt(text, from, to);
  }
  return { where: [...where].join(" "), isVersion };
}

/** Returns the tag and the attribute in whose value a range is; null where it is elsewhere. */
function placeAt(text: string, from: number, to: number): string | null {
  const open = Math.max(text.lastIndexOf('"', from - 1), text.lastIndexOf("'", from - 1));
  const name = open === -1 ? null : nameBefore.exec(text.slice(Math.max(0, open - attributeMaxChars), open));
  if (name === null) {
    const word = text.slice(text.lastIndexOf(" ", from - 1) + 1, to);
    return inBrackets.test(word) && !/[\s)]/.test(word) ? "link" : null;
  }
  const close = text.indexOf(text.charAt(open), from);
  if (close < to) return null;
  const tag = /^<([a-z][\w:-]*)/i.exec(text.slice(text.lastIndexOf("<", open)));
  return `${tag?.[1] ?? ""} ${name[1] ?? ""}`.toLowerCase();
}

/** The most characters of a change, and on either side of it, that are looked at for a version. */
const versionMaxChars = 64;

/** Whether the part of an address that a range is in names a version, or a place in the page. */
function isVersionAt(text: string, from: number, to: number): boolean {
  if (to - from > versionMaxChars) return false;
  const before = /#?[^/?#&=@:"'(\s]*$/.exec(text.slice(Math.max(0, from - versionMaxChars), from))?.[0] ?? "";
  const behind = /^[^/?#&=@:"')\s]*/.exec(text.slice(to, to + versionMaxChars))?.[0] ?? "";
  return before.startsWith("#") || version.test(before + text.slice(from, to) + behind);
}

/** Returns what of a line did not change. */
export function keptOf({ text, marks = [] }: DiffLine): string {
  let [kept, at] = ["", 0];
  for (const [from, to] of marks) {
    kept += text.slice(at, from);
    at = to;
  }
  return kept + text.slice(at);
}
