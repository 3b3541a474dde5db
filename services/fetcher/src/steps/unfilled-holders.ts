import { LRUCache } from "lru-cache";

/** Remembers the empty places of pages that their scripts were seen to leave empty. */
export interface UnfilledHolders {
  /**
   * Tells whether each of a page's places was on a page that these scripts did not build. Where a try that is under way
   * may decide that, it is awaited.
   * @param names `holders` of a script signature, one by one
   * @returns a boolean instead of a promise where the answer is already known
   */
  hasAll(scripts: string, names: readonly string[]): boolean | Promise<boolean>;
  /** Adds places that were seen to be left empty elsewhere. @param since when that was */
  take(scripts: string, names: readonly string[], since: number): void;
  /**
   * Keeps the places of a page whose try is under way if it shows that scripts do not build the page; forgets them if they
   * do. @returns what the try returned
   */
  during<Tried extends { builds: boolean | null }>(
    scripts: string,
    names: readonly string[],
    trying: Promise<Tried>,
  ): Promise<Tried>;
}

/** The most names that are remembered, of all sites together. */
const namesMax = 200_000;

interface OfScripts {
  names: Set<string>;
  since: number;
}

/** @param keptMs the age after which what was seen is forgotten */
export function createUnfilledHolders(now: () => number, keptMs: number): UnfilledHolders {
  const seen = new LRUCache<string, OfScripts>({ maxSize: namesMax, sizeCalculation: ({ names }) => names.size + 1 });
  const underWay = new Map<string, Set<{ names: ReadonlySet<string>; ended: Promise<unknown> }>>();

  function namesOf(scripts: string): Set<string> {
    const found = seen.get(scripts);
    return found === undefined || now() - found.since >= keptMs ? new Set() : found.names;
  }

  function learn(scripts: string, names: ReadonlySet<string>, builds: boolean): void {
    const before = seen.get(scripts);
    const { names: known, since } =
      before !== undefined && now() - before.since < keptMs ? before : { names: new Set<string>(), since: now() };
    const after = new Set(known);
    for (const name of names)
      if (builds) after.delete(name);
      else after.add(name);
    seen.set(scripts, { names: after, since });
  }

  return {
    hasAll(scripts, names) {
      const tries = [...(underWay.get(scripts) ?? [])];
      const missing = names.filter((name) => !namesOf(scripts).has(name));
      if (missing.length === 0) return true;
      if (!missing.every((name) => tries.some((one) => one.names.has(name)))) return false;
      return Promise.all(tries.map(({ ended }) => ended)).then(() => names.every((name) => namesOf(scripts).has(name)));
    },

    take(scripts, names, since) {
      if (names.length === 0) return;
      const known = namesOf(scripts);
      const before = known.size === 0 ? undefined : seen.get(scripts);
      seen.set(scripts, {
        names: new Set([...known, ...names]),
        since: Math.min(since, before?.since ?? since),
      });
    },

    async during(scripts, names, trying) {
      const one = { names: new Set(names), ended: trying.catch(() => undefined) };
      const all = underWay.get(scripts) ?? new Set();
      underWay.set(scripts, all.add(one));
      try {
        const tried = await trying;
        if (tried.builds !== null) learn(scripts, one.names, tried.builds);
        return tried;
      } finally {
        all.delete(one);
        if (all.size === 0) underWay.delete(scripts);
      }
    },
  };
}
