// @ts-check

/** Of a table with 2^20 places these are wanted, and of every smaller one as few. */
const wantedPlaces = 4_096;
const placeBits = 20;
/** 31 to the power of 7 is more than 2^32: so many digits of that base lead from any hash to any other. */
const digits = 7;
const firstDigit = "0".charCodeAt(0);
const beginning = "ABCD";
const newline = 10;

/**
 * Lines (12 units, newline included) whose hashes differ and yet want places close to one another in the table of
 * `packages/diff/src/lines/line-numbers.ts`: what a hostile page would be made of. It takes that hash back step by step, so where the hash changes,
 * this has to change with it.
 * @param {number} count
 */
export function crowdingLines(count) {
  return Array.from({ length: count }, (_, index) => lineOf(unscrambled(scatteredFrom(index))));
}

/** A scrambled hash that wants place `index % wantedPlaces`: the place is the hash, moved right by 15 bits, over itself. @param {number} index */
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

/** The line with this hash: units are digits of a number in base 31, its length before them. @param {number} hash */
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

/** What an odd number has to be multiplied by to give 1, in 32 bits. @param {number} odd */
function inverse(odd) {
  let found = odd;
  for (let step = 0; step < 5; step++) found = Math.imul(found, 2 - Math.imul(odd, found));
  return found | 0;
}
