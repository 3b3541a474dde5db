/** The kinds of UTF-16 units that the tokenizers tell apart. */
export const kindOf = { symbol: 1, word: 2, space: 3, newline: 4, high: 5, low: 6, extend: 7 } as const;
const UNKNOWN = 0;

const kinds = new Uint8Array(65_536).fill(UNKNOWN);

/** Returns the kind of one UTF-16 unit. Classified once per unit and process. */
export function kindAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  const known = kinds[unit] ?? UNKNOWN;
  return known === UNKNOWN ? learn(unit) : known;
}

function learn(unit: number): number {
  const kind = classify(unit);
  kinds[unit] = kind;
  return kind;
}

function classify(unit: number): number {
  if (unit === 10) return kindOf.newline;
  if (unit >= 0xd800 && unit < 0xdc00) return kindOf.high;
  if (unit >= 0xdc00 && unit < 0xe000) return kindOf.low;
  const character = String.fromCharCode(unit);
  if (/\s/u.test(character)) return kindOf.space;
  // Part of the character before it: combining marks, variation selectors, joiner and non-joiner, the vowel AM of Thai and
  // Lao, vowels and final consonants of decomposed Hangul, voiced marks of half-width kana.
  if (/[\p{M}\u0e33\u0eb3\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f\u200c\u200d]/u.test(character)) return kindOf.extend;
  // Words of scripts written without spaces could only be found with a dictionary: each character stands alone.
  if (
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
      character,
    )
  )
    return kindOf.symbol;
  return /[\p{L}\p{N}_]/u.test(character) ? kindOf.word : kindOf.symbol;
}

const ZERO_WIDTH_JOINER = 0x200d;
/** Signs that join the consonants around them into one letter: Devanagari, Bengali, Gujarati, Oriya, Telugu, Malayalam. */
const linkers: ReadonlySet<number> = new Set([0x94d, 0x9cd, 0xacd, 0xb4d, 0xc4d, 0xd4d]);
/** Indic scripts are in blocks of 2⁷ code points. */
const INDIC_BLOCK = 7;

/**
 * Returns the end of the character that starts at `index`: a surrogate pair stays whole, combining marks, joined emoji,
 * skin tones and flags stay with their base, joined Indic consonants with one another (close to the extended grapheme
 * clusters of Unicode UAX #29, without its tables). Lone surrogates are characters of their own.
 */
export function characterEnd(text: string, index: number, limit: number): number {
  const first = kindAt(text, index);
  let end = codePointEnd(text, index, limit);
  if (first === kindOf.newline || first === kindOf.space) return end;
  if (end < limit && text.charCodeAt(index) < 0x300 && text.charCodeAt(end) < 0x300) return end;
  if (first === kindOf.high && isFlagLetter(text, index) && end < limit && isFlagLetter(text, end)) end += 2;
  let linker = 0;
  while (end < limit) {
    const kind = kindAt(text, end);
    if (kind === kindOf.extend) {
      if (linkers.has(text.charCodeAt(end))) linker = text.charCodeAt(end);
      const joiner = text.charCodeAt(end) === ZERO_WIDTH_JOINER;
      end++;
      if (joiner && end < limit && isJoinable(text, end)) end = codePointEnd(text, end, limit);
    } else if (kind === kindOf.high && isSupplementaryExtension(text, end)) end += 2;
    else if (linker > 0 && kind === kindOf.word && text.charCodeAt(end) >> INDIC_BLOCK === linker >> INDIC_BLOCK) {
      linker = 0;
      end++;
    } else break;
  }
  return Math.min(end, limit);
}

function codePointEnd(text: string, index: number, limit: number): number {
  return index + 1 < limit && kindAt(text, index) === kindOf.high && kindAt(text, index + 1) === kindOf.low
    ? index + 2
    : index + 1;
}

/** Whether a joiner joins the next character: only pictographs are joined; a letter after it stays a letter of its own. */
function isJoinable(text: string, index: number): boolean {
  return /\p{Extended_Pictographic}/u.test(String.fromCodePoint(text.codePointAt(index) ?? 0));
}

function isFlagLetter(text: string, index: number): boolean {
  const point = text.codePointAt(index) ?? 0;
  return point >= 0x1f1e6 && point <= 0x1f1ff;
}

/** Skin tones, tag characters, supplementary variation selectors and combining marks. */
function isSupplementaryExtension(text: string, index: number): boolean {
  const point = text.codePointAt(index) ?? 0;
  return (
    (point >= 0x1f3fb && point <= 0x1f3ff) ||
    (point >= 0xe0020 && point <= 0xe007f) ||
    (point >= 0xe0100 && point <= 0xe01ef) ||
    /\p{M}/u.test(String.fromCodePoint(point))
  );
}
