import { isScriptAddress } from "../links/url-attributes.js";
import type { EditableTag } from "../tokenizer/editable-tag.js";

/**
 * Attributes that links are shown with other values of than they were written with: addresses are whole, and open windows. Style sheets that
 * ask for them (`a[href^="http"]`, `a[target="_blank"]`, as for an arrow behind links that lead elsewhere) ask for the written value instead.
 */
const names = ["href", "target", "rel"] as const;

const writtenName = (name: string) => `data-written-${name.toLowerCase()}`;

/** Elements of HTML that are not seen. */
const unseen = new Set(["link", "base", "script"]);

/** Keeps the values of a start tag that was read just now, for the selectors of `asksForWritten`. */
export function keepWritten(tag: EditableTag): void {
  if (tag.attributes.size === 0) return;
  const isSeen = tag.namespace !== "html" || !unseen.has(tag.originalName);
  // an outside address that is no link does not belong in a page that is kept for years
  const mayLead = tag.namespace === "html" || tag.originalName === "a";
  for (const name of names) {
    const value = tag.get(name);
    if (value === undefined || !isSeen || (!mayLead && value.includes("//"))) tag.remove(writtenName(name));
    else tag.set(writtenName(name), isScriptAddress(name, value) ? "#" : value);
  }
}

const isAsked = /(?:\[\s*(?:\*?\|)?|attr\(\s*)(?:href|target|rel)/i;

/** What must be told apart to know selectors from values: comments, strings, addresses, escapes, ends of both, and what is looked for. */
const tokens = new RegExp(
  [
    String.raw`\/\*[^]*?(?:\*\/|$)`,
    String.raw`"(?:\\[^]|[^"\\\n])*"?`,
    String.raw`'(?:\\[^]|[^'\\\n])*'?`,
    String.raw`url\(\s*(?=[^"'\s])(?:\\[^]|[^)\\])*\)?`,
    String.raw`\\[^]`,
    String.raw`(?<end>[{};])`,
    String.raw`(?<selector>\[\s*(?:\*?\|)?)(?<selected>${names.join("|")})(?=[\s~|^$*=\]])`,
    String.raw`(?<value>attr\(\s*)(?<shown>${names.join("|")})(?=[\s,)])`,
  ].join("|"),
  "gi",
);

/**
 * Rewrites a style sheet so that its attribute selectors, and `attr()`, ask for written values (`keepWritten`). The names of
 * grid lines look the same, but end with their declaration. Time is linear in the text.
 */
export function asksForWritten(css: string): string {
  if (!isAsked.test(css)) return css;
  const edits: Edit[] = [];
  // selectors of the rule that begins here, if one does
  let pending: Edit[] = [];
  for (const match of css.matchAll(tokens)) {
    const { end, selector, selected, value, shown } = match.groups ?? {};
    if (selected !== undefined) pending.push(editOf(match, selector, selected));
    else if (shown !== undefined) edits.push(editOf(match, value, shown));
    else if (end !== undefined) {
      if (end === "{") edits.push(...pending);
      pending = [];
    }
  }
  return applied(css, edits);
}

/** One name that is replaced. */
interface Edit {
  at: number;
  name: string;
}

const editOf = (match: RegExpExecArray, before = "", name: string): Edit => ({ at: match.index + before.length, name });

function applied(css: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { at, name } of edits.toSorted((one, other) => one.at - other.at)) {
    parts.push(css.slice(copied, at), writtenName(name));
    copied = at + name.length;
  }
  parts.push(css.slice(copied));
  return parts.join("");
}
