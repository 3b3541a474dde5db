import type { CompiledRule } from "../rules/compile-rule.js";
import type { DescribedSpot } from "../suggest/describe-spot.js";
import { PagePair } from "../suggest/suggest.js";
import { learnRules, placeKey, type Probe } from "./learn-rules.js";
import type { Learned } from "./learned.js";

/** The contents of one page at consecutive fetches, the oldest first, equal ones included. */
export interface PageHistory {
  readonly path: string;
  readonly versions: readonly string[];
}

/** The number of times that a place must have differed to count as noise. */
const timesMin = 3;
/** Of the pairs of fetches of all pages on which a place differs, the share in which it must have differed. */
const oftenMin = 0.9;
const spotsMax = 200;
const pairsMax = 80;

/**
 * Returns rules for what differs at every fetch, or goes back and forth, judging by the history. They may be edits all the
 * same, as by an editor who changes the same line each day, so a person has to decide.
 * @param rulesOf returns the rules that already hold for a page, by its path
 */
export function learnFromHistory(
  pages: readonly PageHistory[],
  rulesOf: (path: string) => readonly CompiledRule[],
): Learned[] {
  const probes: Probe[] = [];
  const seen = new Seen();
  for (const { path, versions } of pages) {
    for (const [index, newer] of versions.entries()) {
      const older = versions[index - 1];
      if (older === undefined) continue;
      seen.compared.set(path, (seen.compared.get(path) ?? 0) + 1);
      if (older === newer) continue;
      seen.add(path, index, new PagePair(older, newer, rulesOf(path)));
      probes.push({ path, older, newer });
    }
  }
  const isNoise = seen.judge();
  const compared = [...seen.compared.values()].reduce((sum, each) => sum + each, 0);
  const meant =
    probes.length > pairsMax ? probes.filter((_, index) => index % Math.ceil(probes.length / pairsMax) === 0) : probes;
  return learnRules(meant, rulesOf, isNoise)
    .filter(({ evidence }) => (evidence.times ?? 0) >= timesMin)
    .map(({ spec, evidence }) => ({ spec, evidence: { ...evidence, looked: pages.length, compared } }));
}

/** Records when each place of each page differed, and between which values. */
class Seen {
  /** The number of pairs of fetches, by page. */
  readonly compared = new Map<string, number>();
  /** By place (of a whole text or of a word in it) and page: the fetches at which it differed. */
  readonly #places = new Map<string, Map<string, Set<number>>>();
  /** By page and pair of values: the fetches at which one became the other. */
  readonly #swaps = new Map<string, { at: Set<number>; froms: Set<string> }>();

  add(path: string, at: number, pair: PagePair): void {
    let left = spotsMax;
    for (const hunk of pair.hunks) {
      for (const isJoined of [false, true]) {
        for (const spot of pair.spots(hunk, isJoined)) {
          if ((left -= 1) < 0) return;
          const pages = entry(this.#places, `${String(isJoined)} ${placeKey(spot, isJoined)}`, () => new Map());
          entry(pages, path, () => new Set<number>()).add(at);
          const swap = entry(this.#swaps, swapKey(path, spot), () => ({
            at: new Set<number>(),
            froms: new Set<string>(),
          }));
          swap.at.add(at);
          swap.froms.add(spot.values[0]);
        }
      }
    }
  }

  judge(): (path: string, spot: DescribedSpot, isJoined: boolean) => boolean {
    const always = new Set<string>();
    for (const [key, pages] of this.#places) {
      const times = sum([...pages.values()].map((at) => at.size));
      const compared = sum([...pages.keys()].map((path) => this.compared.get(path) ?? 0));
      const isLong = [...pages.values()].some((at) => at.size >= timesMin);
      if (isLong && times >= compared * oftenMin) always.add(key);
    }
    const back = this.#backAndForth();
    return (_path, spot, isJoined) =>
      always.has(`${String(isJoined)} ${placeKey(spot, isJoined)}`) || back.has(valuesKey(spot));
  }

  /**
   * Returns pairs of values that alternate: on one page more often than an edit and its revert, or on several pages at
   * different times.
   */
  #backAndForth(): Set<string> {
    const moments = new Map<string, { times: Set<string>; most: number }>();
    for (const [key, { at, froms }] of this.#swaps) {
      if (froms.size < 2) continue;
      const known = entry(moments, key.slice(key.indexOf("\0") + 1), () => ({ times: new Set<string>(), most: 0 }));
      known.times.add([...at].join(" "));
      known.most = Math.max(known.most, at.size);
    }
    return new Set(
      [...moments].filter(([, { times, most }]) => most >= timesMin || times.size > 1).map(([key]) => key),
    );
  }
}

const valuesKey = ({ values }: DescribedSpot): string => JSON.stringify(values.toSorted((a, b) => (a < b ? -1 : 1)));
const swapKey = (path: string, spot: DescribedSpot): string => `${path}\0${valuesKey(spot)}`;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
