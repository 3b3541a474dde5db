/** A page that was found before and is not any more, with what is known of it. Hashes are hex. */
export interface MissedPage {
  url: string;
  /** What the crawl itself met at its address; null where it never came there. */
  crawl: { outcome: string; httpStatus: number | null; target: string | null } | null;
  /** What a second look found; null where there was none. */
  look: {
    state: string;
    httpStatus: number | null;
    /** Where redirects led, canonical; null without redirects. */
    redirectedTo: string | null;
    /** Whether each of them is for good (301, 308). */
    forGood: boolean;
    hash: string | null;
  } | null;
  /** Content of its newest snapshot before. */
  hash: string | null;
}

export type Judgement =
  | { kind: "gone"; said: string }
  | { kind: "unlinked" }
  /** `forGood`: its history may follow it. */
  | { kind: "moved"; to: string; said: string; forGood: boolean };

/**
 * What became of a page that is found no more; null where that cannot be said, as when it fails in another way.
 * @param twins addresses of new pages by their content, where one alone has it
 * @param isWhole whether the run saw the whole site: behind pages that failed there may be links to this one
 */
export function judgePage(page: MissedPage, twins: ReadonlyMap<string, string>, isWhole: boolean): Judgement | null {
  const { crawl, look } = page;
  const status = goneStatus(
    crawl?.outcome === "failed" ? crawl.httpStatus : look?.state === "failed" ? look.httpStatus : null,
  );
  const twin = twinOf([page.hash, look?.state === "done" ? look.hash : null], twins);
  if (status !== null) return twin === null ? { kind: "gone", said: `HTTP ${status}` } : sameContent(twin);
  if (crawl?.outcome === "canonical" && crawl.target !== null && crawl.target !== page.url)
    return { kind: "moved", to: crawl.target, said: "its canonical address", forGood: true };
  if (look?.state !== "done") return null;
  if (look.redirectedTo !== null && look.redirectedTo !== page.url)
    return { kind: "moved", to: look.redirectedTo, said: "redirected", forGood: look.forGood };
  if (twin !== null) return sameContent(twin);
  return isWhole ? { kind: "unlinked" } : null;
}

const goneStatus = (status: number | null) => (status === 404 || status === 410 ? status : null);

const sameContent = (to: string): Judgement => ({ kind: "moved", to, said: "the same content", forGood: true });

function twinOf(hashes: readonly (string | null)[], twins: ReadonlyMap<string, string>): string | null {
  for (const hash of hashes) {
    const twin = hash === null ? undefined : twins.get(hash);
    if (twin !== undefined) return twin;
  }
  return null;
}
