import { LRUCache } from "lru-cache";
import type { PageScripts } from "./scan-page.js";

/** The result of a look at a page in the browser. */
export interface Look {
  /** Whether the browser showed it: where that failed, nothing is known of its scripts. */
  isSeen: boolean;
  /** Whether it had addresses that were not known before. */
  isOfUse: boolean;
}

/** What one crawl has learned of the links that scripts add to its pages. */
export interface DrawnLinks {
  /**
   * Looks at a page in the browser where that may find links that its HTML lacks: at one of the first pages with the same
   * scripts, at one with an empty place that none of these had, and, where scripts were seen to add links, at all of them,
   * until several pages in a row gain none. Where a look at a page with the same scripts is under way, it waits for that
   * one's result.
   * @param links how many links the page has without scripts
   * @param look never rejects
   * @returns null where the page is not looked at, as nothing is to be expected
   */
  look<Found extends Look>(scripts: PageScripts, links: number, look: () => Promise<Found>): Promise<Found | null>;
  /**
   * Whether this is the first look to find this address. An address that the crawl does not take, as robots.txt denies it,
   * would otherwise count as new at every look.
   */
  isFirst(url: string): boolean;
}

/**
 * The most looks without result in one crawl and process, by how much was expected of them: a look takes as long as 500
 * pages without one.
 */
const inVainMax = { much: 6, little: 2 };
/** A page with this many links has none left for its scripts to add, unless it has an empty place that is made for them. */
const manyLinks = 30;
/**
 * Matches empty places that are made to be filled: lists, custom elements, and elements that scripts find by an id or a
 * data attribute. Others are as often mere style.
 */
const isMadeForMuch = /^(?:(?:ul|ol|dl|table|tbody) |[^\s-]+-)| (?:id=|data-)/;
/** After this many pages in a row without added links, scripts that had added some before are no longer looked at. */
const inVainInARowMax = 5;
const kindsMax = 200;
/** The most places that are remembered of one kind. */
const idleMax = 5_000;
/** Addresses that looks found, remembered per crawl and process. */
const foundMax = 20_000;

interface Kind {
  /** Empty places that got no links. */
  idle: Set<string>;
  isFruitful: boolean;
  inVainInARow: number;
  /** The look that is under way while nothing is known of this kind yet. */
  underWay: Promise<unknown> | null;
}

export function createDrawnLinks(): DrawnLinks {
  const kinds = new LRUCache<string, Kind>({ max: kindsMax });
  const foundBefore = new LRUCache<string, true>({ max: foundMax });
  const inVain = { much: 0, little: 0 };

  /** @returns how much a look at such a page promises; null where that is too little */
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
      // nothing was learned, so the next page with these scripts counts as the first again
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
