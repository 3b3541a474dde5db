import { createHash } from "node:crypto";
import type { KnownEffect, ScriptTry } from "@web-tester/records/script-effects/script-effects";
import type { ScriptSignature } from "@web-tester/html/text/script-signature";
import { LRUCache } from "lru-cache";
import { createUnfilledHolders } from "./unfilled-holders.js";

/** What a page tells that was loaded in a browser to see what its scripts do; null where it told nothing. */
export interface Tried<Page> {
  page: Page;
  builds: boolean | null;
}

/** What is known of the scripts of sites: whether they build the pages that they are in. */
export interface ScriptEffects {
  /**
   * Whether scripts build a page. The first page with the same scripts and a place to fill that no page before had is tried in a browser, then the
   * 500th with the same places, the 2,000th, the 8,000th and so on, and after a day the next one; pages that could be known by a try that is under
   * way wait for it. What was found out is kept for the other fetchers, and for the time after a restart.
   * @returns `tried` where it was this page
   */
  of<Page>(
    objectId: string,
    signature: ScriptSignature,
    attempt: () => Promise<Tried<Page>>,
  ): Promise<{ builds: boolean | null; tried: Page | null }>;
  /** Keeps what was seen of a page that was loaded in a browser for something else. */
  note(objectId: string, signature: ScriptSignature, builds: boolean): Promise<void>;
}

/** What all fetchers found out; both methods never fail: what cannot be read or kept is found out again. */
export interface KeptEffects {
  /** What is known of some places of pages, none of it older than `maxAgeMs`. */
  find(objectId: string, scripts: Buffer, whats: readonly Buffer[], maxAgeMs: number): Promise<KnownEffect[]>;
  keep(objectId: string, tried: ScriptTry, maxAgeMs: number): Promise<void>;
}

const keptMax = 20_000;
/**
 * So many pages after the first another one is tried, as it may have what the first one had not, and the next one after four times as many: of pages
 * that were taken for like others without a look, those behind the last try are three quarters at most.
 */
const again = 500;
const againTimes = 4;
/** What was found out longer ago is found out again: sites change. */
const dayMs = 86_400_000;
/** Pages of one object that are tried within an hour; later ones are taken for what most with the same scripts were. */
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

  /** @returns what others found out of a page, and when; null where that is not enough */
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
          // another page may have begun meanwhile; without a wait where there is nothing to wait for: pages that come now have to see this one's try under way
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

/** Counts a page. @returns whether it is the one that is tried again, so that none of those beside it is */
function comesDue(known: Known, now: number): boolean {
  known.pages += 1;
  if (now - known.since >= dayMs) Object.assign(known, { pages: 1, nextAt: again, since: now });
  else if (known.pages >= known.nextAt) known.nextAt = known.pages * againTimes;
  else return false;
  return true;
}

/** Digests (hex) of all places of a page as one, and of each with its name. */
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
