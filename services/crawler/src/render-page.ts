import { questions, type RenderReply } from "@web-tester/contracts/messages";
import type { ScannedPage } from "@web-tester/html/page-facts";
import { isJsShell } from "@web-tester/html/js-shell";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";

export interface RenderDeps {
  bus: Pick<Bus, "ask">;
  store: Pick<ObjectStore, "read">;
}

/** A page as a browser shows it; or why it was not rendered, in words. */
export type Rendering = { html: string; finalUrl: URL } | { problem: string };

/** More links than any page has that is drawn by its scripts: spares all others the closer look. */
const shellLinksMax = 3;

/** Whether the links of a page are to be read from what a browser makes of it. */
export function isToBeRendered(fetchMode: string, html: string, scanned: ScannedPage): boolean {
  if (fetchMode === "browser") return true;
  if (fetchMode !== "auto") return false;
  return scanned.links.filter(({ kind }) => kind === "a" || kind === "area").length <= shellLinksMax && isJsShell(html);
}

/** Asks a fetcher, which has the browser. Never rejects for a page that cannot be rendered: it is read as it came then. */
export async function renderPage(objectId: string, url: string, { bus, store }: RenderDeps): Promise<Rendering> {
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
