import { createHash } from "node:crypto";
import type { ScriptSignature } from "@web-tester/html/text/script-signature";
import { LRUCache } from "lru-cache";

/** What a page tells that was loaded in a browser to see what its scripts do; null where it told nothing. */
export interface Tried<Page> {
  page: Page;
  builds: boolean | null;
}

/** What is known of the scripts of sites: whether they build the pages that they are in. */
export interface ScriptEffects {
  /**
   * Whether scripts build a page. The first page with the same scripts and the same places to fill is tried in a browser, then the 500th, the
   * 1,000th, the 2,000th and so on, and after a day the next one; pages that come meanwhile wait for it. What is known is forgotten with the
   * process, and found out again.
   * @returns `tried` where it was this page
   */
  of<Page>(
    objectId: string,
    signature: ScriptSignature,
    attempt: () => Promise<Tried<Page>>,
  ): Promise<{ builds: boolean | null; tried: Page | null }>;
}

const keptMax = 20_000;
/**
 * So many pages after the first another one is tried, as it may have what the first one had not, and the next one after twice as many: of pages that
 * were taken for like others without a look, those behind the last try are half at most.
 */
const again = 500;
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

export function createScriptEffects(now: () => number = Date.now): ScriptEffects {
  const known = new LRUCache<string, Known>({ max: keptMax });
  const votes = new LRUCache<string, { yes: number; no: number }>({ max: keptMax });
  const tries = new LRUCache<string, { since: number; count: number }>({ max: keptMax });

  function mayTry(objectId: string): boolean {
    const made = tries.get(objectId);
    if (made === undefined || now() - made.since >= hourMs) {
      tries.set(objectId, { since: now(), count: 1 });
      return true;
    }
    made.count += 1;
    return made.count <= triesMax;
  }

  return {
    async of(objectId, { scripts, holders }, attempt) {
      const ofScripts = digest(objectId, scripts);
      const key = digest(objectId, scripts, holders);
      const before = known.get(key);
      if (before !== undefined) {
        const isDue = comesDue(before, now());
        const builds = await before.builds;
        if (builds === true || (builds === false && !isDue)) return { builds, tried: null };
      }
      if (!mayTry(objectId)) {
        const { yes, no } = votes.get(ofScripts) ?? { yes: 0, no: 0 };
        return { builds: yes > no, tried: null };
      }
      const trying = attempt();
      const builds = trying.then(
        (tried) => tried.builds,
        () => null,
      );
      const entry: Known = { ...(before ?? { pages: 1, nextAt: again, since: now() }), builds };
      known.set(key, entry);
      const { page } = await trying;
      const found = await builds;
      if (found === null) {
        if (known.peek(key) === entry) known.delete(key);
      } else {
        const vote = votes.get(ofScripts) ?? { yes: 0, no: 0 };
        votes.set(ofScripts, found ? { ...vote, yes: vote.yes + 1 } : { ...vote, no: vote.no + 1 });
      }
      return { builds: found, tried: page };
    },
  };
}

/** Counts a page. @returns whether it is the one that is tried again, so that none of those beside it is */
function comesDue(known: Known, now: number): boolean {
  known.pages += 1;
  if (now - known.since >= dayMs) Object.assign(known, { pages: 1, nextAt: again, since: now });
  else if (known.pages >= known.nextAt) known.nextAt = known.pages * 2;
  else return false;
  return true;
}

function digest(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("base64");
}
