import { LRUCache } from "lru-cache";
import type { PageScripts } from "./scan-page.js";

/** What came of looking at a page. */
export interface Look {
  /** Whether it was seen in a browser: where that failed, nothing is known of its scripts. */
  isSeen: boolean;
  /** Whether addresses were found that were not known. */
  isOfUse: boolean;
}

/** What one crawl has seen scripts do to the links of its pages. */
export interface DrawnLinks {
  /**
   * Looks at a page where a browser may find links in it that its HTML has not: at one of the first with the same scripts, and at one with an empty place
   * that none of these had; at all of them where scripts were seen to make links, until they add none for several pages in a row.
   * Where a look at a page with the same scripts is under way, it waits for that.
   * @param links how many the page has without scripts
   * @param look never rejects
   * @returns null where there is nothing to be expected
   */
  look<Found extends Look>(scripts: PageScripts, links: number, look: () => Promise<Found>): Promise<Found | null>;
  /** Whether it is the first time that a look finds this address. One that the crawl does not take, as robots.txt denies it, would else be found by each. */
  isFirst(url: string): boolean;
}

/** Looks that found nothing, in one crawl and process, by what was to be expected: each takes as long as 500 pages without one. */
const inVainMax = { much: 6, little: 2 };
/** A page that has so many links has left none to its scripts, unless it has a place that is made for them. */
const manyLinks = 30;
/** Empty places that are made to be filled: lists, elements of the site's own, and what scripts know by an id or by data. Others are as often mere style. */
const isMadeForMuch = /^(?:(?:ul|ol|dl|table|tbody) |[^\s-]+-)| (?:id=|data-)/;
/** Pages in a row that scripts added nothing to, where they had added links before. */
const inVainInARowMax = 5;
const kindsMax = 200;
/** Places that are remembered of one kind. */
const idleMax = 5_000;
/** Addresses that looks found, remembered per crawl and process. */
const foundMax = 20_000;

interface Kind {
  /** Places that stayed without links. */
  idle: Set<string>;
  isFruitful: boolean;
  inVainInARow: number;
  /** The first looks, before which nothing is known. */
  underWay: Promise<unknown> | null;
}

export function createDrawnLinks(): DrawnLinks {
  const kinds = new LRUCache<string, Kind>({ max: kindsMax });
  const foundBefore = new LRUCache<string, true>({ max: foundMax });
  const inVain = { much: 0, little: 0 };

  /** @returns how much is to be expected of a look at such a page; null where it is too little */
  function expected(kind: Kind | undefined, holders: readonly string[], links: number): "much" | "little" | null {
    if (kind?.isFruitful === true && kind.inVainInARow < inVainInARowMax) return "much";
    const fresh = holders.filter((holder) => kind?.idle.has(holder) !== true);
    if (kind !== undefined && fresh.length === 0) return null;
    const hope = fresh.some((holder) => isMadeForMuch.test(holder)) ? "much" : "little";
    if (hope === "little" && links >= manyLinks) return null;
    return inVain[hope] < inVainMax[hope] ? hope : null;
  }

  function learn(kind: Kind, holders: readonly string[], { isSeen, isOfUse }: Look): void {
    if (isOfUse) {
      kind.isFruitful = true;
      kind.inVainInARow = 0;
      return;
    }
    kind.inVainInARow += 1;
    if (isSeen && kind.idle.size < idleMax) for (const holder of holders) kind.idle.add(holder);
  }

  return {
    async look({ kind: name, holders }, links, look) {
      let kind = kinds.get(name);
      for (; kind !== undefined && kind.underWay !== null; kind = kinds.get(name)) await kind.underWay;
      const hope = expected(kind, holders, links);
      if (hope === null) return null;
      kind ??= { idle: new Set(), isFruitful: false, inVainInARow: 0, underWay: null };
      kinds.set(name, kind);
      const looking = look();
      if (!kind.isFruitful) kind.underWay = looking;
      const found = await looking;
      kind.underWay = null;
      if (!found.isOfUse) inVain[hope] += 1;
      learn(kind, holders, found);
      // the next page with these scripts is as good as the first
      if (!found.isSeen && kind.idle.size === 0 && !kind.isFruitful) kinds.delete(name);
      return found;
    },
    isFirst(url) {
      const isFirst = !foundBefore.has(url);
      foundBefore.set(url, true);
      return isFirst;
    },
  };
}
