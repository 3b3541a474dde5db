import { decodeHTML } from "entities/decode";

/** The characters of a change that are certainly seen where it is listed, also on a phone; the rest is cut off. */
const seenChars = 140;
const shownChars = 200;
const word = /[\p{L}\p{N}]{2}/u;

/**
 * Returns what readers read of a part of a page that came or went, where its code begins with so many tags that nobody would see it; null
 * where some words are seen, or there are none.
 * @param change its removed and added text, of which one is empty; otherwise no part came or went
 */
export function hiddenWords({ removed, added }: { readonly removed: string; readonly added: string }): string | null {
  if (removed !== "" && added !== "") return null;
  const code = removed + added;
  const words = wordsOf(code);
  if (!word.test(words) || word.test(wordsOf(code.slice(0, seenChars)))) return null;
  return words.length > shownChars ? `${words.slice(0, shownChars).toWellFormed()}…` : words;
}

/** Returns the text beside the tags of a part of a page, which may begin and end within one. */
function wordsOf(code: string): string {
  const text = code.replace(/^…[^<>]*>/, " ").replaceAll(/<[^<>]*(?:>|$)/g, " ");
  return decodeHTML(text).replaceAll(/\s+/g, " ").trim();
}
