// @ts-check

/** The number of different places that the lines want in a table of 2^20 places; in smaller tables it is no larger. */
const wantedPlaces = 4_096;
const placeBits = 20;
/** The number of digits in base 31: as 31^7 is more than 2^32, they lead from any hash to any other. */
const digits = 7;
const firstDigit = "0".charCodeAt(0);
const beginning = "ABCD";
const newline = 10;

/**
 * Returns lines (12 units, newline included) whose hashes differ but want neighbouring places in the table of
 * `packages/diff/src/lines/line-numbers.ts`, as a hostile page could have them. It inverts that hash step by step, so
 * where the hash changes, this must change too.
 * @param {number} count
 */
export function crowdingLines(count) {
  return Array.from({ length: count }, (_, index) => lineOf(unscrambled(scatteredFrom(index))));
}

/**
 * Returns a scrambled hash that wants place `index % wantedPlaces`: the place is the hash XORed with itself shifted right by 15 bits.
 * @param {number} index
 */
function scatteredFrom(index) {
  const place = index % wantedPlaces;
  const high = Math.floor(index / wantedPlaces);
  let hash = high << placeBits;
  for (let bit = placeBits - 1; bit >= 0; bit--) {
    const over = bit + 15 < 32 ? (hash >>> (bit + 15)) & 1 : 0;
    if ((((place >>> bit) & 1) ^ over) === 1) hash |= 1 << bit;
  }
  return hash;
}

/** @param {number} hash */
function unscrambled(hash) {
  const before = Math.imul(hash, inverse(0x45d9f3b));
  return before ^ (before >>> 16);
}

/** Returns the line with this hash: its units are digits of a number in base 31, after its length. @param {number} hash */
function lineOf(hash) {
  let begun = beginning.length + digits + 1;
  for (const letter of beginning) begun = (Math.imul(begun, 31) + letter.charCodeAt(0)) | 0;
  for (let digit = 0; digit < digits; digit++) begun = (Math.imul(begun, 31) + firstDigit) | 0;
  let rest = (Math.imul((hash - newline) | 0, inverse(31)) - begun) >>> 0;
  const units = [];
  for (let digit = 0; digit < digits; digit++) {
    units.unshift(firstDigit + (rest % 31));
    rest = Math.floor(rest / 31);
  }
  return `${beginning}${String.fromCharCode(...units)}\n`;
}

/** Returns the inverse of an odd number modulo 2^32. @param {number} odd */
function inverse(odd) {
  let found = odd;
  for (let step = 0; step < 5; step++) found = Math.imul(found, 2 - Math.imul(odd, found));
  return found | 0;
}
