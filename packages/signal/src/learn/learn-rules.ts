import type { RuleEvidence, RuleSpec } from "@web-tester/contracts/entities/rule";
import type { DiffHunk } from "@web-tester/diff/hunks/hunks";
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
const rounds = 8;
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
 * @param isMeant whether a place of a page may be noise; without it all that differ are
 */
export function learnRules(
  probes: readonly Probe[],
  rulesOf: (path: string) => readonly CompiledRule[],
  isMeant?: (path: string, spot: DescribedSpot, isJoined: boolean) => boolean,
): Learned[] {
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
    const pairs = probes.map(
      ({ path, older, newer }) =>
        new PagePair(
          older,
          newer,
          [...rulesOf(path), ...compiled],
          isMeant && ((spot, isJoined) => isMeant(path, spot, isJoined)),
        ),
    );
    const orders = learnOrders(pairs.filter((_, index) => isHistory[index] !== true));
    const steps = [
      () => orders,
      () => learnPlaces(pairs, isHistory, paths, "narrow"),
      () => learnPlaces(pairs, isHistory, paths, "joined"),
      () => learnElements(pairs, isHistory),
      () => learnPlaces(pairs, isHistory, paths, "element"),
    ];
    // what is narrower comes first: it may be all that there is
    const isNew = steps.some((step) =>
      step()
        .map((learned) => add(learned))
        .includes(true),
    );
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
    evidence: { pages, looked: pairs.length, times: pages, values: values.map(cut), share: 0 },
  }));
}

/** Elements that stand in place of others, or are not always there, as those of two variants of a page. */
function learnElements(pairs: readonly PagePair[], isHistory: readonly boolean[]): Learned[] {
  const found = new Map<string, { spec: RuleSpec; seen: { pair: PagePair; hunk: DiffHunk }[]; pages: Set<PagePair> }>();
  for (const pair of pairs.filter((_, index) => isHistory[index] !== true)) {
    for (const hunk of pair.hunks.slice(0, 20)) {
      const spec = pair.elementsRule(hunk);
      if (spec === null) continue;
      const key = JSON.stringify(spec);
      const known = found.get(key) ?? { spec, seen: [], pages: new Set() };
      known.seen.push({ pair, hunk });
      known.pages.add(pair);
      found.set(key, known);
    }
  }
  const looked = isHistory.filter((each) => !each).length;
  return [...found.values()].flatMap(({ spec, seen, pages }) => {
    // one that comes and goes has its name from where it was seen: what two pages have is not made up
    if (pages.size < 2) return [];
    const tried = spread(seen, triedMax);
    const silent = tried.map(({ pair, hunk }) => pair.shareIfSilent(spec, hunk)).filter((share) => share !== null);
    if (silent.length < tried.length * coveredMin) return [];
    const values = seen.flatMap(({ hunk }) => hunk.lines.map(({ text }) => text.trim()));
    const times = seen.length;
    const evidence = { pages: pages.size, looked, times, values: [...new Set(values)].slice(0, valuesKept).map(cut) };
    return [{ spec, evidence: { ...evidence, share: Math.max(...silent) } }];
  });
}

/** How rules for places are looked for: each changed word, all of one text together, or the elements around them. */
type Way = "narrow" | "joined" | "element";

function learnPlaces(
  pairs: readonly PagePair[],
  isHistory: readonly boolean[],
  paths: readonly string[],
  way: Way,
): Learned[] {
  const clusters = new Map<string, Cluster>();
  for (const [page, pair] of pairs.entries()) {
    let spots = 0;
    for (const hunk of pair.hunks) {
      for (const spot of pair.spots(hunk, way === "joined")) {
        if ((spots += 1) > spotsPerPage) break;
        if (isHistory[page] === true && !spot.values.every((value) => isNumber.test(value))) continue;
        const key = placeKey(spot, way === "joined");
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
    .flatMap((cluster) => learnOne(cluster, cluster.looked, way));
}

/** What says that places of several pages are one. */
export function placeKey(spot: DescribedSpot, isJoined: boolean): string {
  const { selector, attribute, parameter } = spot;
  return `${selector} ${attribute ?? ""} ${parameter ?? ""} ${isJoined ? "" : placeIn(spot)}`;
}

/** Tells values of one element apart, as several of a script: the last word before each. */
function placeIn({ attribute, before }: DescribedSpot): string {
  return attribute === null ? (/([A-Za-z_$][\w$-]*)[^\w<>]*$/.exec(before)?.[1] ?? "") : "";
}

function learnOne({ seen, pages, isSure }: Cluster, looked: number, way: Way): Learned[] {
  const spots = seen.map(({ spot }) => spot);
  const [first] = seen;
  if (first === undefined) return [];
  const candidates =
    way !== "element"
      ? narrowRules(spots, way === "joined")
      : isSure
        ? first.pair.elementRules(first.spot.spot.b).filter(({ kind }) => kind === "element")
        : [];
  const tried = spread(seen, triedMax);
  for (const spec of candidates) {
    const shares = tried.map(({ pair, spot }) => pair.shareIfCovered(spec, spot));
    const covered = shares.filter((share) => share !== null);
    if (covered.length < tried.length * coveredMin || covered.length === 0) continue;
    const values = [...new Set(spots.flatMap((spot) => spot.values))].slice(0, valuesKept).map(cut);
    const evidence = { pages: pages.size, looked, times: seen.length, values, share: Math.max(...covered) };
    return [{ spec, evidence }];
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
