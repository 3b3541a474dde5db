/** The characters of a change that are certainly seen, also on a phone; the rest is cut off. */
const seenChars = 140;
const shownChars = 200;
const word = /[\p{L}\p{N}]{2}/u;

/** Returns the words of a change whose beginning is markup alone, so that nobody would see them; null where some are seen. */
export function hiddenWords(change: string): string | null {
  const words = wordsOf(change);
  if (!word.test(words) || word.test(wordsOf(change.slice(0, seenChars)))) return null;
  return words.length > shownChars ? `${words.slice(0, shownChars)}…` : words;
}

/** Returns the text beside the tags of a part of a page, which may begin and end within one. */
function wordsOf(part: string): string {
  const text = part.replace(/^…[^<>]*>/, " ").replaceAll(/<[^<>]*(?:>|$)/g, " ");
  // the parser decodes entities; no script runs in its document
  const decoded = new DOMParser().parseFromString(text, "text/html").documentElement.textContent;
  return decoded.replaceAll(/\s+/g, " ").trim();
}
