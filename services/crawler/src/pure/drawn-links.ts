import { LRUCache } from "lru-cache";
import type { PageScripts } from "./scan-page.js";

/** What one crawl has seen scripts do to the links of its pages. */
export interface DrawnLinks {
  /**
   * Looks at a page where a browser may find links in it that its HTML has not: at the first page with the same scripts, and at one with an empty place
   * that no page before had; at all of them where scripts were seen to make links, until they add none for several pages in a row.
   * Where a look at a page with the same scripts is under way, it waits for that.
   * @param look resolves with whether it found addresses that were not known; never rejects
   * @returns null where there is nothing to be expected
   */
  look<Found extends { isOfUse: boolean }>(scripts: PageScripts, look: () => Promise<Found>): Promise<Found | null>;
  /** Whether it is the first time that a look finds this address. One that the crawl does not take, as robots.txt denies it, would else be found by each. */
  isFirst(url: string): boolean;
}

/**
 * Looks that found nothing, in one crawl and process: each takes as long as 500 pages without one. Of a page that has other scripts than those before it, but
 * no place of its own that they could fill, less is to be expected.
 */
const inVainMax = 6;
const inVainWithoutPlaceMax = 2;
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
  let inVain = 0;
  let inVainWithoutPlace = 0;

  function mayFind(kind: Kind | undefined, holders: readonly string[]): boolean {
    if (kind?.isFruitful === true && kind.inVainInARow < inVainInARowMax) return true;
    if (inVain >= inVainMax) return false;
    if (kind === undefined && holders.length === 0) return inVainWithoutPlace < inVainWithoutPlaceMax;
    return kind === undefined || holders.some((holder) => !kind.idle.has(holder));
  }

  function learn(kind: Kind, holders: readonly string[], isOfUse: boolean): void {
    if (isOfUse) {
      kind.isFruitful = true;
      kind.inVainInARow = 0;
      return;
    }
    inVain += 1;
    if (holders.length === 0) inVainWithoutPlace += 1;
    kind.inVainInARow += 1;
    if (kind.idle.size < idleMax) for (const holder of holders) kind.idle.add(holder);
  }

  return {
    async look({ kind: name, holders }, look) {
      let kind = kinds.get(name);
      for (; kind !== undefined && kind.underWay !== null; kind = kinds.get(name)) await kind.underWay;
      if (!mayFind(kind, holders)) return null;
      kind ??= { idle: new Set(), isFruitful: false, inVainInARow: 0, underWay: null };
      kinds.set(name, kind);
      const looking = look();
      if (!kind.isFruitful) kind.underWay = looking;
      const found = await looking;
      kind.underWay = null;
      learn(kind, holders, found.isOfUse);
      return found;
    },
    isFirst(url) {
      const isFirst = !foundBefore.has(url);
      foundBefore.set(url, true);
      return isFirst;
    },
  };
}
