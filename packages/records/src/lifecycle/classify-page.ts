import { lifecycleSaid } from "@web-tester/contracts/lifecycle-said";

/** A page that was found before but is missing now, with what is known of it. Hashes are hex. */
export interface MissedPage {
  url: string;
  /** What the crawl itself met at the page's address; null when it did not visit it. */
  crawl: { outcome: string; httpStatus: number | null; target: string | null } | null;
  /** The result of a second look; null when there was none. */
  look: {
    state: string;
    httpStatus: number | null;
    /** The canonical address after redirects; null without redirects. */
    redirectedTo: string | null;
    /** Whether all redirects are permanent (301, 308). */
    forGood: boolean;
    hash: string | null;
  } | null;
  /** Content of the newest snapshot before the look. */
  hash: string | null;
}

export type Outcome =
  | { kind: "gone"; said: string }
  | { kind: "unlinked" }
  /** `forGood`: the page's history may follow it. */
  | { kind: "moved"; to: string; said: string; forGood: boolean };

/**
 * Decides what became of a missing page; null when that cannot be said, for example when it fails in another way.
 * @param twins addresses of new pages by their content, if only one of them has it
 * @param isWhole whether the run saw the whole site: otherwise failed pages may contain links to this one
 */
export function classifyPage(page: MissedPage, twins: ReadonlyMap<string, string>, isWhole: boolean): Outcome | null {
  const { crawl, look } = page;
  const status = goneStatus(
    crawl?.outcome === "failed" ? crawl.httpStatus : look?.state === "failed" ? look.httpStatus : null,
  );
  const twin = twinOf([page.hash, look?.state === "done" ? look.hash : null], twins);
  if (status !== null) return twin === null ? { kind: "gone", said: `HTTP ${status}` } : sameContent(twin);
  if (crawl?.outcome === "canonical" && crawl.target !== null && crawl.target !== page.url)
    return { kind: "moved", to: crawl.target, said: lifecycleSaid.canonical, forGood: true };
  if (look?.state !== "done") return null;
  if (look.redirectedTo !== null && look.redirectedTo !== page.url)
    return { kind: "moved", to: look.redirectedTo, said: lifecycleSaid.redirected, forGood: look.forGood };
  if (twin !== null) return sameContent(twin);
  return isWhole ? { kind: "unlinked" } : null;
}

const goneStatus = (status: number | null) => (status === 404 || status === 410 ? status : null);

const sameContent = (to: string): Outcome => ({ kind: "moved", to, said: lifecycleSaid.same, forGood: true });

function twinOf(hashes: readonly (string | null)[], twins: ReadonlyMap<string, string>): string | null {
  for (const hash of hashes) {
    const twin = hash === null ? undefined : twins.get(hash);
    if (twin !== undefined) return twin;
  }
  return null;
}
