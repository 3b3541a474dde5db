import { visibleText } from "./visible-text.js";

/**
 * Words that scripts may add or remove without building the page: fewer different ones than this, as buttons to copy an
 * example all say the same …
 */
const wordsMax = 20;
/** … and as long as all of them together are no larger share of it. */
const shareMax = 0.03;

/** Whether a reader would miss words. @param different the number of different words @param total the words of the whole page */
export const missed = (different: number, words: number, total: number): boolean =>
  different >= wordsMax || words > shareMax * Math.max(1, total);

/** The changes that scripts made to the text of a page. */
export interface ScriptsDrew {
  /** Whether what they added or removed is a part of the page that a reader would miss. */
  isMuch: boolean;
  /** The words that they added, each once, the first few in the order of the page; empty where they added none. */
  added: string;
}

const shownChars = 80;

/**
 * Whether a word consists of punctuation, mathematical signs and triangles: what scripts add to fold, sort, copy and link
 * parts (`[−]`, `▾`, `¶`) is no text that a reader would miss.
 */
const isMark = (word: string): boolean => /^[\p{P}\p{Sm}\u25B2-\u25C5]+$/u.test(word);

/**
 * Compares the text that a server sent with the text that a person sees after scripts ran.
 * @param drawn the page after its scripts ran
 */
export function scriptsDrew(source: string, drawn: string): ScriptsDrew {
  const before = countsOf(wordsOf(source));
  const after = wordsOf(drawn);
  const added = after.filter((word) => {
    const left = before.get(word) ?? 0;
    if (left > 0) before.set(word, left - 1);
    return left === 0;
  });
  const removed = [...before.values()].filter((count) => count > 0);
  const fields = differing(fieldsIn(source), fieldsIn(drawn));
  const changed = added.length + removed.reduce((sum, count) => sum + count, 0) + fields;
  const addedOnce = new Set(added);
  const words = [...addedOnce].join(" ");
  return {
    isMuch:
      missed(addedOnce.size + removed.length + fields, changed, after.length) ||
      picturesIn(drawn) > picturesIn(source) ||
      differing(framesIn(source), framesIn(drawn)) > 0,
    added: words.length > shownChars ? `${words.slice(0, shownChars)}…` : words,
  };
}

/**
 * Counts pictures but those that only count visits; kept drawings are among them. In buttons and in links to a part of the
 * same page, equal pictures count once, and the first few not at all: with them scripts let a reader copy an example, close
 * a part, go to the next one or take its address, as documentation generators add them to each heading.
 */
function picturesIn(html: string): number {
  return signs.reduce((total, { places, begins, atMost }) => {
    const inPlaces = [...html.matchAll(places)].flatMap(([place]) => (begins.test(place) ? pictureTags(place) : []));
    const different = new Set(inPlaces.map((tag) => /\ssrc=("[^"]*"|'[^']*'|[^\s"'>]*)/i.exec(tag)?.[1] ?? ""));
    return total - inPlaces.length + Math.max(0, different.size - atMost);
  }, pictureTags(html).length);
}

/** Where pictures are signs, and how many different ones are none that a reader would miss. */
const signs = [
  { places: /<button\b[^>]{0,2000}>(?:(?!<\/?button\b).){0,2000}<\/button/gis, begins: /^/, atMost: 2 },
  { places: /<a\s[^>]{0,2000}>(?:(?!<\/?a\b).){0,2000}<\/a\b/gis, begins: /^[^>]*?\shref=["']?#/i, atMost: 1 },
] as const;

/**
 * Matches an `img` with an address; one that waits for a script to fill it shows nothing, but any of its data attributes
 * may hold the address.
 */
const namesPicture = /\s(?:src|srcset|data-[\w-]+)\s*=\s*(?:"[^"]|'[^']|[^\s"'>])/i;

function pictureTags(html: string): string[] {
  const tags = [...html.matchAll(/<img\s[^>]{0,2000}/gi)].map(([tag]) => tag);
  return tags.filter(
    (tag) => namesPicture.test(tag) && !/\s(?:width|height)=["']?[01]["'\s>]|display:\s*none/i.test(`${tag} `),
  );
}

/**
 * Returns the values of fields that are not empty, as that of a search box which scripts add is; without capitals, as a hint
 * that a script only writes anew is nothing that it fills in.
 */
function fieldsIn(html: string): string[] {
  const tags = [...html.matchAll(/<(?:input|option)\s[^>]{0,2000}/gi)].map(([tag]) => tag);
  return tags
    .map((tag) => /\svalue=("[^"]*"|'[^']*'|[^\s"'>]*)/i.exec(tag)?.[1]?.replaceAll(/["']/g, "").toLowerCase() ?? "")
    .filter((value) => value !== "");
}

/** Returns the documents of frames in `srcdoc`. */
function framesIn(html: string): string[] {
  return [...html.matchAll(/\ssrcdoc=("[^"]*"|'[^']*')/gi)].map(([, text = ""]) => text.slice(1, -1));
}

/** Counts the entries of the second list that the first one lacks. */
function differing(before: readonly string[], after: readonly string[]): number {
  const left = countsOf(before);
  return after.filter((each) => {
    const count = left.get(each) ?? 0;
    left.set(each, count - 1);
    return count <= 0;
  }).length;
}

function wordsOf(html: string): string[] {
  return visibleText(html)
    .split(/\s+/)
    .filter((word) => word !== "" && !isMark(word));
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
