import { encodeQuery } from "@web-tester/html/charset/encode-query";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { CrawlRules, Frontier } from "../pure/frontier.js";
import type { LoadedHtml } from "../pure/interpret-load.js";
import { baseOf } from "../pure/scan-page.js";
import { type RenderDeps, renderPage, scanRendered, type ShownPage } from "./render-page.js";

/** The most links of a page: one with more has none left for its scripts to add, and no more are read of a rendered page. */
const linksMax = 5_000;

/**
 * Adds the links that scripts make to a page that came over HTTP with words of its own, where a look at it in the browser
 * is worth its cost. The added addresses are absolute, and neither the page nor the crawl has them already.
 * @throws ReadingEnded where reading the page takes too long
 */
export async function withDrawnLinks(
  page: ClaimedPage,
  shown: ShownPage,
  { charset, finalUrl }: LoadedHtml,
  frontier: Frontier,
  deps: RenderDeps,
): Promise<ShownPage> {
  const { scan } = shown;
  if (page.fetchMode !== "auto" || scan.isShell || scan.scripts === null || frontier.isFull(page.runId)) return shown;
  const links = countLinks(scan.hrefs);
  if (links >= linksMax) return shown;
  const drawnLinks = frontier.drawnLinksOf(page.runId);
  const found = await drawnLinks.look(scan.scripts, links, async () => {
    const known = addressesOf(shown, frontier.rulesOf(page), null);
    const rendering = await renderPage(page, finalUrl.href, deps);
    const drawn = "problem" in rendering ? null : await scanRendered(page, rendering, deps).catch(() => null);
    const added =
      drawn === null
        ? []
        : [...addressesOf(drawn, frontier.rulesOf(page), charset)].filter(
            (url) => !known.has(url) && frontier.keyOf(page.runId, url) === undefined && drawnLinks.isFirst(url),
          );
    return { isSeen: drawn !== null, isOfUse: added.length > 0, added };
  });
  if (found === null || !found.isOfUse) return shown;
  const hrefs = scan.hrefs === "" ? found.added : [scan.hrefs, ...found.added];
  return { ...shown, scan: { ...scan, hrefs: hrefs.join("\0") } };
}

/** @returns the number of links, `linksMax` at most */
function countLinks(hrefs: string): number {
  let links = hrefs === "" ? 0 : 1;
  for (let at = hrefs.indexOf("\0"); at !== -1 && links < linksMax; at = hrefs.indexOf("\0", at + 1)) links += 1;
  return links;
}

/** @param charset that of the page as it was sent, in which characters in queries are encoded; null where that is already done */
function addressesOf(
  { scan, shownAt }: ShownPage,
  { canonical, isInScope, isExcluded }: CrawlRules,
  charset: string | null,
): Set<string> {
  const base = baseOf(scan, shownAt);
  const found = new Set<string>();
  for (const href of scan.hrefs.split("\0", linksMax)) {
    const url = canonical(charset === null ? href : encodeQuery(href, charset), base);
    if (url !== null && isInScope(url) && !isExcluded(url)) found.add(url.href);
  }
  return found;
}
