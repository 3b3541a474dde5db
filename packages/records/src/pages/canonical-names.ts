/** A visited address that leads to another one: by its canonical link, or by a redirect. */
export interface LeadingPage {
  url: string;
  outcome: "canonical" | "redirected";
  target: string | null;
  /** Whether the target itself is an instance: it answered, and keeps its own address. */
  arrives: boolean;
}

/** Addresses of a crawl whose outcome differs from what their visits suggested. */
interface Settled {
  /** Pages that keep their own address after all. */
  own: string[];
  /** The first address, in alphabetical order, of each redirect loop. */
  circles: string[];
}

/**
 * Decides which pages that name a canonical address are known by it. A page is, if that address, followed through its redirects, is a page:
 * one that names no other address, or one that names one in turn. If it leads to no page (missing, denied, not visited …), the page keeps
 * its own address; of pages that name each other in a loop, the first in alphabetical order does. The result depends on the pages only, not
 * on their order. Takes time linear in the number of pages.
 */
export function settleNames(pages: readonly LeadingPage[]): Settled {
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  const { landings, circles } = followRedirects(pages, byUrl);
  const own: string[] = [];
  /** The next page that each one is known by; pages that keep their own address are not in it. */
  const next = new Map<string, string>();
  for (const { url, outcome, target, arrives } of pages) {
    if (outcome !== "canonical" || arrives) continue;
    const named = target === null ? undefined : byUrl.get(target);
    const landing = named?.outcome === "redirected" ? (landings.get(named.url) ?? nowhere) : (named?.url ?? nowhere);
    if (landing === nowhere) own.push(url);
    else if (landing !== aPage) next.set(url, landing);
  }
  own.push(...firstOfCircles(next));
  return { own, circles };
}

/** Markers for "a page with its own address" and "no page"; no address is spelled like these. */
const aPage = "page";
const nowhere = "";

/** Returns where the redirects from each address end: at `aPage`, `nowhere`, or the address of a page that names a canonical one. */
function followRedirects(
  pages: readonly LeadingPage[],
  byUrl: ReadonlyMap<string, LeadingPage>,
): { landings: Map<string, string>; circles: string[] } {
  const landings = new Map<string, string>();
  const circles: string[] = [];
  for (const page of pages) {
    if (page.outcome !== "redirected" || landings.has(page.url)) continue;
    const way: string[] = [];
    const steps = new Map<string, number>();
    let landing: string | undefined;
    for (let at: LeadingPage = page; landing === undefined;) {
      steps.set(at.url, way.length);
      way.push(at.url);
      const onward: LeadingPage | undefined = at.target === null ? undefined : byUrl.get(at.target);
      if (at.arrives) landing = aPage;
      else if (onward === undefined) landing = nowhere;
      else if (onward.outcome === "canonical") landing = onward.url;
      else if (steps.has(onward.url)) {
        landing = nowhere;
        circles.push(firstOf(way.slice(steps.get(onward.url))));
      } else {
        landing = landings.get(onward.url);
        at = onward;
      }
    }
    for (const url of way) landings.set(url, landing);
  }
  return { landings, circles };
}

function firstOfCircles(next: ReadonlyMap<string, string>): string[] {
  const firsts: string[] = [];
  const seen = new Set<string>();
  for (const start of next.keys()) {
    const way: string[] = [];
    const steps = new Map<string, number>();
    let at: string | undefined = start;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      steps.set(at, way.length);
      way.push(at);
      at = next.get(at);
    }
    const from = at === undefined ? undefined : steps.get(at);
    if (from !== undefined) firsts.push(firstOf(way.slice(from)));
  }
  return firsts;
}

function firstOf(urls: readonly string[]): string {
  return urls.reduce((first, url) => (url < first ? url : first));
}
