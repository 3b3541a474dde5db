import type { RuleEvidence, RuleSpec } from "@web-tester/contracts/entities/rule";
import { type CompiledRule, compileRule } from "../rules/compile-rule.js";
import type { DescribedSpot } from "../suggest/describe-spot.js";
import { narrowRules, PagePair } from "../suggest/suggest.js";

/** One page that was fetched twice in a moment. */
export interface Probe {
  readonly path: string;
  readonly older: string;
  readonly newer: string;
  /** The older one is a snapshot of a moment ago: what differs may be an edit. Only numbers that differ otherwise from page to page are taken for noise. */
  readonly isHistory?: boolean;
}

/** A rule for something that differs at every fetch, and why. */
export interface Learned {
  readonly spec: RuleSpec;
  readonly evidence: RuleEvidence;
}

/** A rule that covers more of a page's text is for a person to decide. */
export const shareMax = 0.05;
/** What several rules hide together shows what is left for others: few rounds find all of it. */
const rounds = 5;
/** Pages on which a rule is tried. */
const triedMax = 8;
/** A rule is good for a place where it covers it on this share of the pages. */
const coveredMin = 0.8;
const valuesKept = 5;
const spotsPerPage = 200;
const rulesMax = 60;

/** A place that several pages have, and where it was seen. */
interface Cluster {
  readonly seen: { pair: PagePair; spot: DescribedSpot }[];
  readonly pages: Set<string>;
  /** What it was and what it became, in one text each. */
  readonly transitions: Set<string>;
  /** Seen between two fetches of a moment, not in the history alone. */
  isSure: boolean;
}

const isNumber = /^[0-9][0-9.,:]*$/;
/** Pages on which a number of the history must have differed, each time otherwise. */
const unsureMin = 3;

/**
 * The narrowest rules for what differs between two fetches of the same pages.
 * @param rulesOf rules that hold for a page already, by its path
 */
export function learnRules(probes: readonly Probe[], rulesOf: (path: string) => readonly CompiledRule[]): Learned[] {
  const found = new Map<string, Learned>();
  const compiled: CompiledRule[] = [];
  const isHistory = probes.map((probe) => probe.isHistory === true);
  const paths = probes.map(({ path }) => path);
  const add = (learned: Learned): boolean => {
    const key = JSON.stringify(learned.spec);
    if (found.has(key) || found.size >= rulesMax) return false;
    found.set(key, learned);
    compiled.push(compileRule({ ...learned.spec, id: `learned-${found.size}`, path: "*", note: "" }));
    return true;
  };
  for (let round = 0; round < rounds; round += 1) {
    const pairs = probes.map(({ path, older, newer }) => new PagePair(older, newer, [...rulesOf(path), ...compiled]));
    const orders = learnOrders(pairs.filter((_, index) => isHistory[index] !== true));
    const isNew = (orders.length > 0 ? orders : learnPlaces(pairs, isHistory, paths))
      .map((learned) => add(learned))
      .includes(true);
    if (!isNew) break;
  }
  return [...found.values()];
}

/** Elements whose order differs: nothing else of them is hidden, so these come first. */
function learnOrders(pairs: readonly PagePair[]): Learned[] {
  const found = new Map<string, { spec: RuleSpec; pages: number; values: string[] }>();
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
        const known = found.get(key) ?? { spec, pages: 0, values: [...first.values] };
        known.pages += 1;
        found.set(key, known);
        break;
      }
    }
  }
  return [...found.values()].map(({ spec, pages, values }) => ({
    spec,
    evidence: { pages, looked: pairs.length, values: values.map(cut), share: 0 },
  }));
}

function learnPlaces(pairs: readonly PagePair[], isHistory: readonly boolean[], paths: readonly string[]): Learned[] {
  const clusters = new Map<string, Cluster>();
  for (const [page, pair] of pairs.entries()) {
    let spots = 0;
    for (const hunk of pair.hunks) {
      for (const spot of pair.spots(hunk)) {
        if ((spots += 1) > spotsPerPage) break;
        if (isHistory[page] === true && !spot.values.every((value) => isNumber.test(value))) continue;
        const key = `${spot.selector} ${spot.attribute ?? ""} ${spot.parameter ?? ""} ${placeIn(spot)}`;
        const cluster = clusters.get(key) ?? { seen: [], pages: new Set(), transitions: new Set(), isSure: false };
        cluster.transitions.add(spot.values.join(" "));
        cluster.isSure ||= isHistory[page] !== true;
        cluster.seen.push({ pair, spot });
        cluster.pages.add(paths[page] ?? "");
        clusters.set(key, cluster);
      }
    }
  }
  const looked = isHistory.filter((each) => !each).length;
  return [...clusters.values()]
    .filter(({ isSure, pages, transitions }) => isSure || (pages.size >= unsureMin && transitions.size >= unsureMin))
    .map((cluster) => ({ ...cluster, looked: Math.max(looked, cluster.pages.size) }))
    .flatMap((cluster) => learnOne(cluster, cluster.looked));
}

/** Tells values of one element apart, as several of a script: the last word before each. */
function placeIn({ attribute, before }: DescribedSpot): string {
  return attribute === null ? (/([A-Za-z_$][\w$-]*)[^\w<>]*$/.exec(before)?.[1] ?? "") : "";
}

function learnOne({ seen, pages, isSure }: Cluster, looked: number): Learned[] {
  const spots = seen.map(({ spot }) => spot);
  const [first] = seen;
  if (first === undefined) return [];
  const elements = isSure ? first.pair.elementRules(first.spot.spot.b).filter(({ kind }) => kind === "element") : [];
  const tried = spread(seen, triedMax);
  for (const spec of [...narrowRules(spots), ...elements]) {
    const shares = tried.map(({ pair, spot }) => pair.shareIfCovered(spec, spot));
    const covered = shares.filter((share) => share !== null);
    if (covered.length < tried.length * coveredMin || covered.length === 0) continue;
    const values = [...new Set(spots.flatMap((spot) => spot.values))].slice(0, valuesKept).map(cut);
    return [{ spec, evidence: { pages: pages.size, looked, values, share: Math.max(...covered) } }];
  }
  return [];
}

/** Some of many, from the first to the last. */
function spread<Item>(items: readonly Item[], max: number): Item[] {
  if (items.length <= max) return [...items];
  return Array.from({ length: max }, (_, index) => items[Math.floor((index * items.length) / max)]).filter(
    (item) => item !== undefined,
  );
}

function cut(text: string): string {
  return (text.length > 100 ? `${text.slice(0, 100)}…` : text).toWellFormed().replaceAll("\0", "\uFFFD");
}
