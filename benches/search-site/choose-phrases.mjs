// @ts-check
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A phrase is rare where at most this share of the pages contains it. */
const rareShare = 0.03;
const kinds = /** @type {const} */ (["a word", "two words", "three words", "code"]);

/**
 * @typedef {object} ChosenPhrase
 * @property {string} phrase
 * @property {(typeof kinds)[number]} kind
 * @property {number} pages that contain it; counting stops where the phrase is known to be common
 * @property {boolean} isRare
 */

/**
 * Chooses phrases at random from the pages themselves, so that searches are measured for words that people find there.
 * @param {string} root
 * @param {readonly string[]} pages paths below `root`
 * @param {{ rare: number, seed: number }} options `rare`: the number of rare phrases
 * @returns {Promise<ChosenPhrase[]>} the rare phrases, and the common ones that came up meanwhile
 */
export async function choosePhrases(root, pages, { rare, seed }) {
  const random = randomFrom(seed);
  /** @type {Buffer[]} */
  const texts = [];
  for (const page of pages) texts.push(await readLowered(join(root, page)));
  const rareMax = pages.length * rareShare;
  /** @type {Map<string, ChosenPhrase>} */
  const chosen = new Map();
  const rareOnes = () => [...chosen.values()].filter(({ isRare }) => isRare).length;
  for (let tries = 0; rareOnes() < rare && tries < rare * 20; tries += 1) {
    const kind = kinds[tries % kinds.length] ?? "a word";
    const page = pages[Math.floor(random() * pages.length)];
    const phrase = page === undefined ? null : phraseOf(await readFile(join(root, page), "utf8"), kind, random);
    if (phrase === null || chosen.has(phrase)) continue;
    const found = pagesWith(texts, phrase.toLowerCase(), rareMax);
    chosen.set(phrase, { phrase, kind, pages: found, isRare: found <= rareMax });
  }
  return [...chosen.values()];
}

/** Reads a file in lower case. Phrases are ASCII, so other letters may be garbled. @param {string} file */
async function readLowered(file) {
  return Buffer.from((await readFile(file, "latin1")).toLowerCase(), "latin1");
}

/** @param {readonly Buffer[]} texts @param {string} lowered @param {number} most counting stops after it */
function pagesWith(texts, lowered, most) {
  const needle = Buffer.from(lowered);
  let found = 0;
  for (const text of texts) if (text.includes(needle) && (found += 1) > most) break;
  return found;
}

/** @param {string} html @param {ChosenPhrase["kind"]} kind @param {() => number} random */
function phraseOf(html, kind, random) {
  const text = html.replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/gi, "").replaceAll(/<[^>]*>/g, "\n");
  const found = [...text.matchAll(patterns[kind])].map(([phrase]) => phrase);
  return found[Math.floor(random() * found.length)] ?? null;
}

const patterns = {
  "a word": /\b[A-Za-z]{6,}\b/g,
  "two words": /\b[A-Za-z]{3,} [A-Za-z]{3,}\b/g,
  "three words": /\b[A-Za-z]{3,} [A-Za-z]{2,} [A-Za-z]{3,}\b/g,
  code: /\b[A-Za-z_][A-Za-z_0-9]{2,}[._][A-Za-z_][A-Za-z_0-9.]{2,}\b/g,
};

/** Returns a generator of numbers from 0 up to 1 (mulberry32). @param {number} seed */
function randomFrom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
