import { questions, type RenderReply } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { LoadedHtml } from "../pure/interpret-load.js";
import type { PageScanner } from "./page-scanner.js";
import type { PageScan } from "../pure/scan-page.js";

export interface RenderDeps {
  bus: Pick<Bus, "ask">;
  store: Pick<ObjectStore, "read">;
  scanner: Pick<PageScanner, "scan">;
}

/** What a page links to: as it was sent, or as a browser shows it where its scripts draw it. */
export interface ShownPage {
  scan: PageScan;
  /** The address that relative links are resolved against. */
  shownAt: URL;
  /** Why links that scripts make are missing, as a sentence; null where none are missing. */
  problem: string | null;
}

/** @throws ReadingEnded where reading the page takes too long */
export async function showPage(
  page: Pick<ClaimedPage, "fetchMode" | "objectId" | "runId">,
  { bytes, charset, finalUrl }: LoadedHtml,
  deps: RenderDeps,
): Promise<ShownPage> {
  const scan = await deps.scanner.scan(page.objectId, {
    bytes,
    charset,
    scriptsOf: page.fetchMode === "auto" ? finalUrl.href : null,
  });
  if (page.fetchMode !== "browser" && !scan.isShell) return { scan, shownAt: finalUrl, problem: null };
  const rendering = await renderPage(page, finalUrl.href, deps);
  if ("problem" in rendering)
    return { scan, shownAt: finalUrl, problem: `Links that its scripts make were not seen: ${rendering.problem}` };
  return scanRendered(page, rendering, deps);
}

/** @throws ReadingEnded where reading the page takes too long */
export async function scanRendered(
  { objectId }: Pick<ClaimedPage, "objectId">,
  { bytes, finalUrl }: RenderedPage,
  { scanner }: Pick<RenderDeps, "scanner">,
): Promise<ShownPage> {
  const scan = await scanner.scan(objectId, { bytes, charset: "utf-8", scriptsOf: null });
  return { scan, shownAt: finalUrl, problem: null };
}

/** A page as a browser shows it, its HTML in UTF-8. */
export interface RenderedPage {
  bytes: Uint8Array;
  finalUrl: URL;
  /** The HTTP status of the page; null where the fetcher does not tell. */
  status: number | null;
}

/** Asks a fetcher, which has the browser, to render a page. Never rejects where that fails: then `problem` says why. */
export async function renderPage(
  { objectId, runId }: Pick<ClaimedPage, "objectId" | "runId">,
  url: string,
  { bus, store }: Pick<RenderDeps, "bus" | "store">,
): Promise<RenderedPage | { problem: string }> {
  const { subject, timeoutMs, reply } = questions.render;
  try {
    const answered: RenderReply = reply.parse(await bus.ask(subject, { objectId, url, round: runId }, timeoutMs));
    if (answered.kind === "failed") return { problem: answered.reason };
    const shown = { finalUrl: new URL(answered.finalUrl), status: answered.status ?? null };
    if (answered.kind === "inline") return { bytes: Buffer.from(answered.html), ...shown };
    return { bytes: await store.read(Buffer.from(answered.sha256, "hex")), ...shown };
  } catch (error) {
    return { problem: `No fetcher rendered it (${error instanceof Error ? error.message : String(error)})` };
  }
}
