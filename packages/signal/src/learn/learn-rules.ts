import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import type { DiffHunk } from "@web-tester/diff/hunks/hunks";
import { type CompiledRule, compileRule } from "../rules/compile-rule.js";
import { type DescribedSpot, noFields } from "../suggest/describe-spot.js";
import { narrowRules, PagePair, wideRules } from "../suggest/suggest.js";
import { anyItems, listedItems } from "../suggest/arrays.js";
import { learnRepeated } from "./learn-repeated.js";
import { learnTimes } from "./learn-times.js";
import { relativeTimes } from "../values/relative-time.js";
import { expressionOf } from "../values/value-list.js";
import { Elsewhere, type OtherPage } from "./elsewhere.js";
import type { Learned } from "./learned.js";
import { boundElement, hidesWhatStays, isHeld, listedElements } from "./bound-rules.js";
import { arePrices } from "./prices.js";
import { joinSiblings, type SeenSpot } from "./siblings.js";

/** One page that was fetched twice within moments. */
export interface Probe {
  readonly path: string;
  readonly older: string;
  readonly newer: string;
  /**
   * The older version is a snapshot of some minutes ago, so a difference may be an edit: only numbers that change
   * differently from page to page are taken for noise.
   */
  readonly isHistory?: boolean;
}

/** The share of a page's text above which a rule is for a person to decide. */
export const shareMax = 0.05;
/** The most rounds: each one shows what the rules found so far leave over; few rounds find everything. */
const rounds = 8;
/** The most pages on which a rule is tried. */
const triedMax = 8;
/** The share of the pages on which a rule must cover a place. */
const coveredMin = 0.8;
const valuesKept = 5;
const spotsPerPage = 200;
const rulesMax = 60;

/** A place that several pages have, and where it was seen to differ. */
interface Cluster {
  readonly seen: SeenSpot[];
  readonly pages: Set<string>;
  /** The pairs of older and newer value, each pair as one text. */
  readonly transitions: Set<string>;
  /** Whether it was seen between two fetches within moments, not only in the history. */
  isSure: boolean;
}

const isNumber = /^[0-9][0-9.,:]*$/;
/** Pages on which a number must have differed in the history, each time between other values. */
const unsureMin = 3;

/**
 * Returns the narrowest rules for what differs between two fetches of the same pages.
 * @param rulesOf rules that hold for a page already, by its path
 * @param isMeant whether a place of a page may be noise; without it, every difference may
 * @param others pages of other templates, whose unchanging parts are not hidden
 */
export function learnRules(
  probes: readonly Probe[],
  rulesOf: (path: string) => readonly CompiledRule[],
  isMeant?: (path: string, spot: DescribedSpot, isJoined: boolean) => boolean,
  others: readonly OtherPage[] = [],
): Learned[] {
  const elsewhere = new Elsewhere(others, [...new Set(probes.map(({ path }) => path))]);
  const found = new Map<string, Learned>();
  const compiled: CompiledRule[] = [];
  const isHistory = probes.map((probe) => probe.isHistory === true);
  const add = (learned: Learned): boolean => {
    const key = JSON.stringify(learned.spec);
    if (found.has(key) || found.size >= rulesMax) return false;
    const path = isHeld(learned.spec) ? elsewhere.pathFor(learned.spec) : "*";
    if (path === null) return false;
    found.set(key, path === "*" ? learned : { ...learned, path });
    compiled.push(compileRule({ ...learned.spec, id: `learned-${found.size}`, path: "*", note: "" }));
    return true;
  };
  for (let round = 0; round < rounds; round += 1) {
    const pairs = probes.map(
      ({ path, older, newer }) =>
        new PagePair(
          older,
          newer,
          [...rulesOf(path), ...compiled],
          isMeant && ((spot, isOneText) => isMeant(path, spot, isOneText)),
          path,
        ),
    );
    const fresh = pairs.filter((_, index) => isHistory[index] !== true);
    const steps = [
      () => (round === 0 && isMeant === undefined ? learnTimes(fresh) : []),
      () => learnOrders(fresh),
      () => (round === 0 && isMeant === undefined ? learnRepeated(fresh) : []),
      () => learnPlaces(pairs, isHistory, "narrow"),
      () => learnPlaces(pairs, isHistory, "joined"),
      () => learnPlaces(pairs, isHistory, "array"),
      () => learnElements(fresh, "listed"),
      () => learnPlaces(pairs, isHistory, "element"),
      // what cannot be said to be like something is for a person to decide
      () => learnPlaces(pairs, isHistory, "any array"),
      () => learnPlaces(pairs, isHistory, "quoted"),
      () => learnPlaces(pairs, isHistory, "any words"),
      () => learnElements(fresh, "any"),
      () => learnPlaces(pairs, isHistory, "any element"),
    ];
    // narrower rules come first: they may suffice
    const isNew = steps.some((step) =>
      step()
        .map((learned) => add(learned))
        .includes(true),
    );
    if (!isNew) break;
  }
  return [...found.values()];
}

/** Learns rules for elements whose order differs; they come first, as they hide nothing but the order. */
function learnOrders(pairs: readonly PagePair[]): Learned[] {
  const found = new Map<string, { spec: RuleSpec; pages: Set<string>; values: string[]; times: number }>();
  for (const pair of pairs) {
    const own = new Set<string>();
    for (const hunk of pair.hunks.slice(0, 20)) {
      if (hunk.aCount === 0 && hunk.bCount === 0) continue;
      const [first] = pair.spots(hunk);
      if (first === undefined) continue;
      for (const spec of pair.elementRules(first.spot.b)) {
        const key = JSON.stringify(spec);
        if (spec.kind !== "order" || own.has(key) || pair.shareIfSilent(spec, hunk) === null) continue;
        own.add(key);
        const known = found.get(key) ?? { spec, pages: new Set(), values: [...first.values], times: 0 };
        known.pages.add(pair.path);
        known.times += 1;
        found.set(key, known);
        break;
      }
    }
  }
  return [...found.values()].map(({ spec, pages, values, times }) => ({
    spec,
    evidence: { pages: pages.size, looked: pagesOf(pairs), times, values: values.map(cut), share: 0 },
  }));
}

/**
 * Learns rules for elements that replace one another, or are not always there, as in variants of a page: `listed` hides
 * only forms that were seen, `any` whatever they hold.
 */
function learnElements(pairs: readonly PagePair[], what: "listed" | "any"): Learned[] {
  const found = new Map<
    string,
    { isAlways: boolean; seen: { pair: PagePair; hunk: DiffHunk }[]; pages: Set<string> }
  >();
  for (const pair of pairs) {
    for (const hunk of pair.hunks.slice(0, 20)) {
      const elements = pair.wholeElements(hunk);
      if (elements === null) continue;
      const known = found.get(elements.selector) ?? { isAlways: true, seen: [], pages: new Set() };
      known.isAlways &&= elements.isAlways;
      known.seen.push({ pair, hunk });
      known.pages.add(pair.path);
      found.set(elements.selector, known);
    }
  }
  const looked = pagesOf(pairs);
  return [...found].flatMap(([selector, { isAlways, seen, pages }]) => {
    // an element that comes and goes is named as where it was seen; a name on two pages is not generated
    if (pages.size < 2) return [];
    const spec: RuleSpec | null =
      what === "any" ? { ...noFields, kind: "element", selector } : listedElements(pairs, selector, isAlways);
    if (spec === null || (what === "listed" && hidesWhatStays(spec, pairs))) return [];
    const tried = spread(seen, triedMax);
    const silent = tried.map(({ pair, hunk }) => pair.shareIfSilent(spec, hunk)).filter((share) => share !== null);
    if (silent.length < tried.length * coveredMin) return [];
    const values = seen.flatMap(({ hunk }) => hunk.lines.map(({ text }) => text.trim()));
    const times = seen.length;
    const evidence = { pages: pages.size, looked, times, values: [...new Set(values)].slice(0, valuesKept).map(cut) };
    return [
      { spec, evidence: { ...evidence, share: Math.max(...silent) }, mayBeList: what === "any" && comesAgain(values) },
    ];
  });
}

/** How rules for places are looked for: each changed word, all of one text together, or the elements around them; `quoted`: a text in quotes, as in a script; `array`: all items of one there. */
type Way = "narrow" | "joined" | "array" | "element" | "any array" | "quoted" | "any words" | "any element";
const isArray = (way: Way): boolean => way.endsWith("array");
const isJoined = (way: Way): boolean => way === "joined" || way === "any words";

const pagesOf = (pairs: readonly PagePair[]): number => new Set(pairs.map(({ path }) => path)).size;

function learnPlaces(pairs: readonly PagePair[], isHistory: readonly boolean[], way: Way): Learned[] {
  const clusters = new Map<string, Cluster>();
  for (const [page, pair] of pairs.entries()) {
    let spots = 0;
    for (const hunk of pair.hunks) {
      for (const spot of isArray(way) ? pair.arrays(hunk) : pair.spots(hunk, isJoined(way))) {
        if ((spots += 1) > spotsPerPage) break;
        const isTime = relativeTimes(spot.values) !== null;
        if (isHistory[page] === true && !isTime && !spot.values.every((value) => isNumber.test(value))) continue;
        const key = placeKey(spot, isJoined(way));
        const cluster = clusters.get(key) ?? { seen: [], pages: new Set(), transitions: new Set(), isSure: false };
        cluster.transitions.add(spot.values.join(" "));
        cluster.isSure ||= isHistory[page] !== true || isTime;
        cluster.seen.push({ pair, spot });
        cluster.pages.add(pair.path);
        clusters.set(key, cluster);
      }
    }
  }
  const looked = pagesOf(pairs.filter((_, page) => isHistory[page] !== true));
  const places = [...clusters.values()]
    .filter(({ isSure, pages, transitions }) => isSure || (pages.size >= unsureMin && transitions.size >= unsureMin))
    .flatMap((cluster) =>
      learnOne(cluster, Math.max(looked, cluster.pages.size), way, pairs).map((learned) => ({ ...cluster, learned })),
    );
  return joinSiblings(places, pairs, (spec, seen) => {
    const share = shareIfMostAreCovered(spec, seen);
    // each single rule may be put in force, the joined one might not
    return share !== null && share > shareMax && isHeld(spec) ? null : share;
  });
}

/** @returns the share of text that a rule covers; null where it covers a place on too few pages */
function shareIfMostAreCovered(spec: RuleSpec, seen: readonly SeenSpot[]): number | null {
  const tried = spread(seen, triedMax);
  const covered = tried.map(({ pair, spot }) => pair.shareIfCovered(spec, spot)).filter((share) => share !== null);
  return covered.length < tried.length * coveredMin || covered.length === 0 ? null : Math.max(...covered);
}

/** Returns a key that is equal for the same place on several pages. */
export function placeKey(spot: DescribedSpot, isOneText: boolean): string {
  const { selector, attribute, parameter } = spot;
  return `${selector} ${attribute ?? ""} ${parameter ?? ""} ${isOneText ? "" : placeIn(spot)}`;
}

/** The last word of a text; of one in letters other than Latin its end, for some languages part no words. */
const lastWord = /([A-Za-z_$][\w$-]*|\p{L}{1,3})[^\p{L}\w<>]*$/u;

/** Tells values of one element apart, as several of a script: the last word before each. */
function placeIn({ attribute, before }: DescribedSpot): string {
  return attribute === null ? (lastWord.exec(before)?.[1] ?? "") : "";
}

function learnOne({ seen, pages, isSure }: Cluster, looked: number, way: Way, pairs: readonly PagePair[]): Learned[] {
  const spots = seen.map(({ spot }) => spot);
  for (const spec of candidatesFor(way, seen, isSure, pairs)) {
    const share = shareIfMostAreCovered(spec, seen);
    if (share === null || (isHeld(spec) && hidesWhatStays(spec, pairs))) continue;
    const values = [...new Set(spots.flatMap((spot) => spot.values))].slice(0, valuesKept).map(cut);
    const evidence = { pages: pages.size, looked, times: seen.length, values, share };
    const mayBeList = !isHeld(spec) && comesAgain(spots.flatMap((spot) => spot.values));
    return [{ spec, evidence, mayBeList, isPrice: arePrices(spots) }];
  }
  return [];
}

/** Whether there are clearly fewer different texts than sightings, numbers in them aside. */
function comesAgain(texts: readonly string[]): boolean {
  return new Set(texts.map(expressionOf)).size <= texts.length * 0.7;
}

function candidatesFor(way: Way, seen: Cluster["seen"], isSure: boolean, pairs: readonly PagePair[]): RuleSpec[] {
  const [first] = seen;
  if (first === undefined) return [];
  const spots = seen.map(({ spot }) => spot);
  if (isArray(way)) return [way === "array" ? listedItems(spots) : anyItems(spots)].filter((spec) => spec !== null);
  if (way === "quoted") return spots.every(isQuoted) ? [...narrowRules(spots), ...wideRules(spots)] : [];
  if (!way.endsWith("element"))
    return way === "any words" ? wideRules(spots) : narrowRules(spots, way === "joined" || spots.every(isSwitch));
  if (!isSure) return [];
  const elements = first.pair.elementRules(first.spot.spot.b).filter(({ kind }) => kind === "element");
  return way === "any element" ? elements : elements.flatMap((spec) => boundElement(pairs, spec) ?? []);
}

/** Whether a place is a whole value of JSON that switches something on or off. */
function isSwitch({ attribute, values, before, after }: DescribedSpot): boolean {
  if (attribute !== null || !/["'\w]\s*:\s*$/.test(before) || !/^\s*[,}\]]/.test(after)) return false;
  return values.every((value) => /^(?:true|false|null)$/.test(value));
}

/** Whether a place is all that stands between quotes in a text: of `"id":"a"` the value, which its name tells from others. */
function isQuoted({ attribute, before, after }: DescribedSpot): boolean {
  return attribute === null && /["']/.test(before.slice(-1)) && before.at(-1) === after.at(0);
}

/** Picks up to `max` items, evenly spread. */
function spread<Item>(items: readonly Item[], max: number): Item[] {
  if (items.length <= max) return [...items];
  return Array.from({ length: max }, (_, index) => items[Math.floor((index * items.length) / max)]).filter(
    (item) => item !== undefined,
  );
}

function cut(text: string): string {
  return (text.length > 100 ? `${text.slice(0, 100)}…` : text).toWellFormed().replaceAll("\0", "\uFFFD");
}
