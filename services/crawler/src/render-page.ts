import { questions, type RenderReply } from "@web-tester/contracts/messages";
import type { ScannedPage } from "@web-tester/html/page-facts";
import { scanLinks } from "@web-tester/html/scan-links";
import { isJsShell } from "@web-tester/html/js-shell";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { ClaimedPage } from "@web-tester/platform/db/moves/page-claim";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";

export interface RenderDeps {
  bus: Pick<Bus, "ask">;
  store: Pick<ObjectStore, "read">;
}

/** What a page links to: as it came, or as a browser shows it where its scripts draw it. */
export interface ShownPage {
  scanned: ScannedPage;
  /** The address that relative links mean. */
  shownAt: URL;
  /** Why links that scripts make are missing, in words; null where none are. */
  problem: string | null;
}

export async function showPage(
  page: Pick<ClaimedPage, "fetchMode" | "objectId">,
  { html, finalUrl }: { html: string; finalUrl: URL },
  deps: RenderDeps,
): Promise<ShownPage> {
  const scanned = scanLinks(html);
  if (!isToBeRendered(page.fetchMode, html, scanned)) return { scanned, shownAt: finalUrl, problem: null };
  const rendering = await renderPage(page.objectId, finalUrl.href, deps);
  if ("problem" in rendering)
    return { scanned, shownAt: finalUrl, problem: `Links that its scripts make were not seen: ${rendering.problem}` };
  return { scanned: scanLinks(rendering.html), shownAt: rendering.finalUrl, problem: null };
}

/** A page as a browser draws it; or why it was not rendered, in words. */
type Rendering = { html: string; finalUrl: URL } | { problem: string };

/** More links than any page has that is drawn by its scripts: spares all others the closer look. */
const shellLinksMax = 3;

/** Whether the links of a page are to be read from what a browser makes of it. */
function isToBeRendered(fetchMode: string, html: string, scanned: ScannedPage): boolean {
  if (fetchMode === "browser") return true;
  if (fetchMode !== "auto") return false;
  return scanned.links.filter(({ kind }) => kind === "a" || kind === "area").length <= shellLinksMax && isJsShell(html);
}

/** Asks a fetcher, which has the browser. Never rejects for a page that cannot be rendered: it is read as it came then. */
async function renderPage(objectId: string, url: string, { bus, store }: RenderDeps): Promise<Rendering> {
  const { subject, timeoutMs, reply } = questions.render;
  try {
    const answered: RenderReply = reply.parse(await bus.ask(subject, { objectId, url }, timeoutMs));
    if (answered.kind === "failed") return { problem: answered.reason };
    const finalUrl = new URL(answered.finalUrl);
    if (answered.kind === "inline") return { html: answered.html, finalUrl };
    return { html: (await store.read(Buffer.from(answered.sha256, "hex"))).toString("utf8"), finalUrl };
  } catch (error) {
    return { problem: `No fetcher rendered it (${error instanceof Error ? error.message : String(error)})` };
  }
}
