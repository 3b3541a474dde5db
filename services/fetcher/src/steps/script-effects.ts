import { createHash } from "node:crypto";
import type { KnownEffect, ScriptTry } from "@web-tester/records/script-effects/script-effects";
import type { ScriptSignature } from "@web-tester/html/text/script-signature";
import { LRUCache } from "lru-cache";
import { createUnfilledHolders } from "./unfilled-holders.js";

/** What a page that was loaded in a browser showed of its scripts; `builds` is null where it showed nothing. */
export interface Tried<Page> {
  page: Page;
  builds: boolean | null;
}

/** What is known of the scripts of sites: whether they build the pages that they are in. */
export interface ScriptEffects {
  /**
   * Tells whether scripts build a page. A page is tried in a browser when it is the first with its scripts that has an
   * empty place which no page before had. Then the 500th page with the same places is tried, the 2,000th, the 8,000th and
   * so on, and after a day the next one. Pages that could be decided by a try that is under way wait for it. Results are
   * kept for the other fetchers, and for after a restart.
   * @returns `tried` is the page where this one was tried, null otherwise
   */
  of<Page>(
    objectId: string,
    signature: ScriptSignature,
    attempt: () => Promise<Tried<Page>>,
  ): Promise<{ builds: boolean | null; tried: Page | null }>;
  /** Keeps what was seen of a page that was loaded in a browser for another reason. */
  note(objectId: string, signature: ScriptSignature, builds: boolean): Promise<void>;
}

/** What all fetchers found out. Neither method ever fails: results that cannot be read or kept are found out again. */
export interface KeptEffects {
  /** Returns what is known of some places of pages, none of it older than `maxAgeMs`. */
  find(objectId: string, scripts: Buffer, whats: readonly Buffer[], maxAgeMs: number): Promise<KnownEffect[]>;
  keep(objectId: string, tried: ScriptTry, maxAgeMs: number): Promise<void>;
}

const keptMax = 20_000;
/**
 * The number of the page that is tried next after the first, as it may have what the first lacked; the one after that
 * comes at four times the number. So of the pages that were judged without a try, at most three quarters came after the
 * last try.
 */
const again = 500;
const againTimes = 4;
/** The age after which a result is found out again, as sites change. */
const dayMs = 86_400_000;
/** The most pages of one object that are tried within an hour; later ones are judged as most pages with the same scripts were. */
const triesMax = 40;
const hourMs = 3_600_000;

interface Known {
  builds: Promise<boolean | null>;
  pages: number;
  /** The number of the page that is tried next. */
  nextAt: number;
  since: number;
}

export function createScriptEffects(kept: KeptEffects, now: () => number = Date.now): ScriptEffects {
  const known = new LRUCache<string, Known>({ max: keptMax });
  const votes = new LRUCache<string, { yes: number; no: number }>({ max: keptMax });
  const tries = new LRUCache<string, { since: number; count: number }>({ max: keptMax });
  const unfilled = createUnfilledHolders(now, dayMs);

  function mayTry(objectId: string): boolean {
    const made = tries.get(objectId);
    if (made === undefined || now() - made.since >= hourMs) {
      tries.set(objectId, { since: now(), count: 1 });
      return true;
    }
    made.count += 1;
    return made.count <= triesMax;
  }

  function vote(ofScripts: string, builds: boolean): void {
    const { yes, no } = votes.get(ofScripts) ?? { yes: 0, no: 0 };
    votes.set(ofScripts, builds ? { yes: yes + 1, no } : { yes, no: no + 1 });
  }

  /** @returns what other fetchers found out about a page, and when; null where that is not enough */
  async function foundOut(objectId: string, { scripts, holders }: ScriptSignature) {
    const ofScripts = digest(objectId, scripts);
    const { page, places } = partsOf(holders);
    const found = await kept.find(objectId, hash(scripts), [page, ...places.keys()].map(fromHex), dayMs);
    const since = now() - Math.max(0, ...found.map(({ ageMs }) => ageMs));
    const builds = found.some((one) => one.builds);
    const empty = found.flatMap((one) => places.get(one.what.toString("hex")) ?? []);
    if (!builds) unfilled.take(ofScripts, empty, since);
    return builds || empty.length === places.size ? { builds, since } : null;
  }

  async function note(objectId: string, { scripts, holders }: ScriptSignature, builds: boolean): Promise<void> {
    const { page, places } = partsOf(holders);
    const asKept = { page: fromHex(page), places: [...places.keys()].map(fromHex), builds };
    await kept.keep(objectId, { scripts: hash(scripts), ...asKept }, dayMs);
  }

  return {
    note,

    async of<Page>(objectId: string, signature: ScriptSignature, attempt: () => Promise<Tried<Page>>) {
      const { scripts, holders } = signature;
      const ofScripts = digest(objectId, scripts);
      const key = digest(objectId, scripts, holders);
      const before = known.get(key);
      let isAgain = false;
      if (before !== undefined) {
        const isDue = comesDue(before, now());
        const builds = await before.builds;
        isAgain = builds === false && isDue && mayTry(objectId);
        if (builds !== null && !isAgain) return { builds, tried: null };
      }
      const names = holders.split("\n");
      const look = async (): Promise<{
        builds: boolean | null;
        page: Page | null;
        isGuess?: boolean;
        since?: number;
      }> => {
        if (!isAgain) {
          if (await unfilled.hasAll(ofScripts, names)) return { builds: false, page: null };
          const elsewhere = await foundOut(objectId, signature);
          if (elsewhere !== null) return { ...elsewhere, page: null };
          // another page's try may have begun meanwhile. Nothing is awaited unless a try is under way: pages that come now
          // must see this page's own try
          const isKnown = unfilled.hasAll(ofScripts, names);
          if (isKnown === true || (isKnown !== false && (await isKnown))) return { builds: false, page: null };
        }
        if (!isAgain && !mayTry(objectId)) {
          const { yes, no } = votes.get(ofScripts) ?? { yes: 0, no: 0 };
          return { builds: yes > no, page: null, isGuess: true };
        }
        const tried = await unfilled.during(ofScripts, names, attempt());
        if (tried.builds !== null) {
          vote(ofScripts, tried.builds);
          await note(objectId, signature, tried.builds);
        }
        return tried;
      };
      const looking = look();
      const builds = looking.then(
        (found) => found.builds,
        () => null,
      );
      const entry: Known = { ...(before ?? { pages: 1, nextAt: again, since: now() }), builds };
      known.set(key, entry);
      const { page, isGuess = false, since } = await looking;
      if (since !== undefined) entry.since = since;
      const found = await builds;
      if ((found === null || isGuess) && known.peek(key) === entry) known.delete(key);
      return { builds: found, tried: page };
    },
  };
}

/** Counts a page. @returns whether it is due to be tried again; only one of several concurrent pages is */
function comesDue(known: Known, now: number): boolean {
  known.pages += 1;
  if (now - known.since >= dayMs) Object.assign(known, { pages: 1, nextAt: again, since: now });
  else if (known.pages >= known.nextAt) known.nextAt = known.pages * againTimes;
  else return false;
  return true;
}

/** Returns digests (hex): one of all places of a page together, and one for each place, mapped to its name. */
function partsOf(holders: string): { page: string; places: Map<string, string> } {
  const names = holders.split("\n");
  return {
    page: hash("page", holders).toString("hex"),
    places: new Map(names.map((name) => [hash("place", name).toString("hex"), name])),
  };
}

const fromHex = (hex: string) => Buffer.from(hex, "hex");

const hash = (...parts: readonly string[]) => createHash("sha256").update(parts.join("\0")).digest();

function digest(...parts: readonly string[]): string {
  return hash(...parts).toString("base64");
}
