import { RE2JS } from "re2js";

/** Characters of the text around a value that say which value it is. */
const contextChars = 40;
const contextMin = 3;

/**
 * An expression for a value in its text, as narrow as its characters tell: digits stay digits, letters and digits stay one word. Where
 * the value is words, there is none, for it would hide whatever is said there.
 * @param values the value as it was seen, at least twice
 */
export function valuePattern(before: string, values: readonly string[], after: string): string | null {
  const value = classOf(values);
  if (value === null) return null;
  const [left, right] = [leftContext(before), rightContext(after)];
  if (left.replaceAll(/[\s\d]/g, "").length < contextMin && right.replaceAll(/[\s\d]/g, "").length < contextMin)
    return null;
  return `${RE2JS.quote(left)}${value}${RE2JS.quote(right)}`;
}

/** @returns null for words */
function classOf(values: readonly string[]): string | null {
  const shapes = new Set(values.map(shapeOf));
  const [shape] = shapes;
  if (shape === undefined || values.includes("")) return null;
  if (shapes.size === 1 && /[0-9]/.test(shape) && !shape.includes("[A-Za-z]+")) return shape;
  // ids and tokens: one word with both letters and digits, in each of the values
  if (values.every((value) => /^[A-Za-z0-9+/=_.~:-]+$/.test(value) && isMadeUp(value))) return "[A-Za-z0-9+/=_.~:-]+";
  if (values.every((value) => /^[0-9][0-9.,:' -]*$/.test(value))) return "[0-9][0-9.,:' -]*";
  return null;
}

/** Whether a word is no word of a language: letters and digits mixed, or long without a vowel pattern. */
function isMadeUp(value: string): boolean {
  return /\d/.test(value) || (value.length >= 12 && /[a-z][A-Z]|[A-Z][a-z][A-Z]|[+/=_]/.test(value));
}

function shapeOf(value: string): string {
  return [...value.matchAll(/\d+|[A-Za-z]+|[^\dA-Za-z]/g)]
    .map(([part]) => (/^\d/.test(part) ? "[0-9]+" : /^[A-Za-z]/.test(part) ? "[A-Za-z]+" : RE2JS.quote(part)))
    .join("");
}

/** From a word's beginning on; from the tag that the value stands in or behind, where that is near. */
function leftContext(before: string): string {
  const text = before.slice(-contextChars);
  const line = text.slice(Math.max(text.lastIndexOf("\n"), text.lastIndexOf(";"), text.lastIndexOf("{")) + 1);
  const tag = line.lastIndexOf("<");
  const near = tag === -1 ? line : line.slice(tag);
  const cut =
    near.length === text.length && before.length > text.length ? near.replace(/^[^\s<>"'=]*[\s<>"'=]?/, "") : near;
  // numbers before it may be of this page alone
  const digits = cut.search(/\d[^\d]*$/);
  return digits === -1 ? cut : cut.slice(digits + 1);
}

function rightContext(after: string): string {
  const text = after.slice(0, contextChars / 2);
  const end = text.search(/[\n<\d]/);
  const line =
    end === -1 ? text.replace(/[^\s"']*$/, "") : text[end] === "<" ? text.slice(0, end + 1) : text.slice(0, end);
  return line;
}
