import { risingChain } from "../lcs/anchors.js";
import type { Budget } from "../lcs/budget.js";
import { matchTokens } from "../lcs/match.js";
import type { MatchedLines } from "./match-lines.js";

/** Lines with one partner that the smallest difference must have lost before another one is looked for: one may be chance. */
const lostMin = 2;

/**
 * Matches lines anew where the smallest difference separates lines that each side has exactly once, although they are in order. Entries of a
 * list have most of their markup in common, so that where two come at its beginning and two go at its end, fewest lines change if each
 * entry becomes its neighbour; people see the entries that stayed. Source: Bram Cohen's patience diff.
 * @param ids tokens are 0…ids-1 @returns the flags of changed lines
 */
export function keepPartners(
  { aTokens, bTokens, changed }: Pick<MatchedLines, "aTokens" | "bTokens" | "changed">,
  ids: number,
  budget: Budget,
): void {
  const { aOf, bOf, lost } = lonelyPairs(aTokens, bTokens, changed.a, ids);
  // a search that was cut short has split at such lines already
  if (lost < lostMin || budget.coarse) return;
  const chain = risingChain(bOf);
  if (chain.length - (aOf.length - lost) < lostMin) return;
  const smallest = { a: changed.a.slice(), b: changed.b.slice() };
  changed.a.fill(1);
  changed.b.fill(1);
  let [aFrom, bFrom] = [0, 0];
  const match = (aTo: number, bTo: number) => {
    if (aFrom === aTo || bFrom === bTo) return;
    const [a, b, count] = renumbered(aTokens.subarray(aFrom, aTo), bTokens.subarray(bFrom, bTo));
    const found = matchTokens(a, b, count, budget);
    changed.a.set(found.a, aFrom);
    changed.b.set(found.b, bFrom);
  };
  for (const at of chain) {
    const [a, b] = [aOf[at] ?? 0, bOf[at] ?? 0];
    match(a, b);
    changed.a[a] = 0;
    changed.b[b] = 0;
    [aFrom, bFrom] = [a + 1, b + 1];
  }
  match(aTokens.length, bTokens.length);
  if (!budget.coarse) return;
  // too little of the budget was left for a second search
  budget.coarse = false;
  changed.a.set(smallest.a);
  changed.b.set(smallest.b);
}

/** Returns the places of lines that each side has once, in the order of the first side, and how many of them count as changed. */
function lonelyPairs(a: Int32Array, b: Int32Array, changedA: Uint8Array, ids: number) {
  const [inA, inB] = [placesOf(a, ids), placesOf(b, ids)];
  const aOf: number[] = [];
  const bOf: number[] = [];
  let lost = 0;
  for (let at = 0; at < a.length; at++) {
    const token = a[at] ?? 0;
    const other = inB[token] ?? 0;
    if (other <= 0 || inA[token] !== at + 1) continue;
    aOf.push(at);
    bOf.push(other - 1);
    lost += changedA[at] ?? 0;
  }
  return { aOf, bOf, lost };
}

/** Maps token → its only place + 1, 0 for none, -1 for several. */
function placesOf(tokens: Int32Array, ids: number): Int32Array {
  const places = new Int32Array(ids);
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? 0;
    places[token] = places[token] === 0 ? at + 1 : -1;
  }
  return places;
}

/** Numbers the tokens of a small part anew from 0, so that its cost does not depend on the whole. */
function renumbered(a: Int32Array, b: Int32Array): [Int32Array, Int32Array, number] {
  const numbers = new Map<number, number>();
  const number = (token: number): number => {
    const known = numbers.get(token);
    if (known !== undefined) return known;
    numbers.set(token, numbers.size);
    return numbers.size - 1;
  };
  return [a.map(number), b.map(number), numbers.size];
}
