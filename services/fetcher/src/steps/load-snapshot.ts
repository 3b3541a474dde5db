import { type SessionState, withSession } from "@web-tester/loader/session-state";
import { authorizationOf } from "@web-tester/loader/authorization";
import { visitHeaders } from "@web-tester/loader/visit-headers";
import { wantsCookies } from "@web-tester/loader/wants-cookies";
import { visitInBrowser } from "@web-tester/loader/browser/visitor";
import type { BrowserLoader, BrowserPageRequest } from "@web-tester/loader/browser/browser-loader";
import type { LoadedPage, Loader, PageRequest, PageResult, ResourceListener } from "@web-tester/loader/page-result";
import type { ClaimedSnapshot } from "@web-tester/records/snapshots/claim-snapshots";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { firstMode, type SnapshotLoad } from "../pure/choose-mode.js";
import { createHostTurns } from "./host-turns.js";
import { scriptsOf } from "../pure/kept-scripts.js";
import { readyRule } from "../pure/ready-rule.js";
import type { PageReader } from "./page-reader.js";
import type { ScriptEffects } from "./script-effects.js";
import { whatScriptsDid } from "./what-scripts-did.js";

export interface LoadSnapshotDeps {
  loader: Loader;
  browser: BrowserLoader;
  reader: Pick<PageReader, "signs" | "drawn">;
  effects: ScriptEffects;
  secrets: SecretBox;
  /** Takes one more place of the page's host, null where none is free. */
  moreTurns: () => Promise<(() => void) | null>;
  /** Receives what the browser loads, for objects that keep files. */
  onResource: ResourceListener;
  signal: AbortSignal;
}

/** Concurrent requests of one page to its own host, as many as browsers make. */
const turnsMax = 6;

/** Loads a page the way its object asks for: over HTTP, in the browser, or (auto) in the browser where scripts build it. */
export async function loadSnapshot(
  snapshot: ClaimedSnapshot,
  conditional: PageRequest["conditional"],
  deps: LoadSnapshotDeps,
  session: SessionState | null,
): Promise<SnapshotLoad> {
  const { loader, signal } = deps;
  const request: PageRequest = {
    url: snapshot.url,
    consent: consentFor(new URL(snapshot.objectUrl)),
    authorization: authorizationOf(snapshot, deps.secrets),
    accept: "html",
    asSeen: true,
    extraHeaders: visitHeaders(snapshot.visit),
  };
  const inBrowser = (comparesSource = false) => loadInBrowser(snapshot, { ...request, session, comparesSource }, deps);
  const authorization = withSession(request.authorization ?? null, snapshot, session);
  const isAuto = snapshot.fetchMode === "auto";
  if (firstMode(snapshot) === "browser") {
    const page = await inBrowser();
    if (!isAuto) return { page, autoMode: null, isTested: false };
    if (!isMissing(page)) return { page, autoMode: page.kind === "page" ? "browser" : null, isTested: false };
  }
  const page = await loader.loadPage({ ...request, authorization, conditional: conditional ?? null }, signal);
  if (isAuto && page.kind === "failed" && wantsCookies(page.code)) {
    const rendered = await inBrowser();
    if (rendered.kind === "page") return { page: rendered, autoMode: "browser", isTested: true };
  }
  if (!isAuto || page.kind !== "page") return { page, autoMode: null, isTested: false };
  const found = await builtByScripts(snapshot, page, deps, inBrowser);
  if (!found.builds) return { page: found.page ?? page, autoMode: found.isKnown ? "http" : null, isTested: true };
  const rendered = found.page ?? (await inBrowser());
  if (!isMissing(rendered)) return { page: rendered, autoMode: "browser", isTested: true };
  const warning = `This page is drawn by its scripts, and only what the server sent was kept: ${rendered.message}`;
  return { page: { ...page, warning }, autoMode: null, isTested: false };
}

/**
 * Tells whether scripts build a page that came over HTTP: because its HTML says so, or because a page with the same
 * scripts was seen to be built by them.
 * @returns `page` as it is to be kept, where finding out has loaded it; null where it must still be loaded in the right
 * way. `isKnown` is also true where there is no browser, as nothing else can be known then; it is false where the browser
 * failed
 */
async function builtByScripts(
  { objectId }: ClaimedSnapshot,
  page: LoadedPage,
  { reader, effects }: LoadSnapshotDeps,
  inBrowser: (comparesSource: boolean) => Promise<PageResult>,
): Promise<{ builds: boolean; isKnown: boolean; page: PageResult | null }> {
  if (page.charset === null) return { builds: false, isKnown: true, page: null };
  // browsers show an error for XHTML that is not well-formed
  if (/^application\/xhtml\+xml/i.test(page.contentType ?? "")) return { builds: true, isKnown: true, page: null };
  const { body: bytes, charset, finalUrl: baseUrl } = page;
  const { isShell, scripts } = await reader.signs(objectId, { find: "signs", bytes, charset, baseUrl });
  if (isShell || scripts === null) return { builds: isShell, isKnown: true, page: null };
  let hasBrowser = true;
  const { builds, tried } = await effects.of(objectId, scripts, async () => {
    const rendered = await inBrowser(true);
    hasBrowser = !isMissing(rendered);
    const seen = await whatScriptsDid(objectId, rendered, reader);
    return {
      builds: seen?.builds ?? null,
      page: seen === null ? null : seen.builds ? rendered : withNote(page, seen.added),
    };
  });
  return { builds: builds === true, isKnown: builds !== null || !hasBrowser, page: tried };
}

function withNote(page: LoadedPage, added: string): LoadedPage {
  if (added === "" || page.warning !== null) return page;
  const warning = `Scripts add a few words to pages like this one, which are not kept: “${added}”. Choose the fetch mode Browser in the object's options to have them.`;
  return { ...page, warning };
}

async function loadInBrowser(
  snapshot: ClaimedSnapshot,
  request: PageRequest & Pick<BrowserPageRequest, "comparesSource">,
  { browser, moreTurns, onResource, signal }: LoadSnapshotDeps,
): Promise<PageResult> {
  const { host, port } = consentFor(new URL(snapshot.url));
  const turns = createHostTurns({ host, port }, snapshot.requestDelayMs > 0 ? 1 : turnsMax, moreTurns);
  try {
    return await browser.loadPage(
      {
        ...request,
        owner: snapshot.objectId,
        ready: readyRule(snapshot),
        ...visitInBrowser(snapshot.visit),
        enter: turns.enter,
        ...(snapshot.assetSnapshots ? { onResource, wantsScript: scriptsOf(snapshot) } : {}),
      },
      signal,
    );
  } finally {
    turns.end();
  }
}

function isMissing(page: PageResult): page is Extract<PageResult, { kind: "failed" }> {
  return page.kind === "failed" && page.code === "browser_unavailable";
}
