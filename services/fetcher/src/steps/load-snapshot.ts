import { type SessionState, withSession } from "@web-tester/loader/session-state";
import { authorizationOf } from "@web-tester/loader/authorization";
import { visitHeaders } from "@web-tester/loader/visit-headers";
import { visitInBrowser } from "@web-tester/loader/browser/visitor";
import type { BrowserLoader } from "@web-tester/loader/browser/browser-loader";
import type { Loader, PageRequest, PageResult, ReadyRule, ResourceListener } from "@web-tester/loader/page-result";
import type { ClaimedSnapshot } from "@web-tester/records/snapshots/claim-snapshots";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { firstMode, type SnapshotLoad } from "../pure/choose-mode.js";
import { createHostTurns } from "./host-turns.js";
import { scriptsOf } from "../pure/kept-scripts.js";
import type { PageReader } from "./page-reader.js";

export interface LoadSnapshotDeps {
  loader: Loader;
  browser: BrowserLoader;
  reader: Pick<PageReader, "isShell">;
  secrets: SecretBox;
  /** Takes one more place of the page's host, null where none is free. */
  moreTurns: () => Promise<(() => void) | null>;
  /** Takes what the browser loads, for objects that keep files. */
  onResource: ResourceListener;
  signal: AbortSignal;
}

/** Requests of one page to its own host at once, as browsers have it. */
const turnsMax = 6;

/** Loads a page the way its object asks for: over HTTP, in the browser, or (auto) in the browser where scripts draw it. */
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
  const inBrowser = () => loadInBrowser(snapshot, { ...request, session }, deps);
  const authorization = withSession(request.authorization ?? null, snapshot, session);
  const isAuto = snapshot.fetchMode === "auto";
  if (firstMode(snapshot) === "browser") {
    const page = await inBrowser();
    if (!isAuto) return { page, autoMode: null, isTested: false };
    if (!isMissing(page)) return { page, autoMode: page.kind === "page" ? "browser" : null, isTested: false };
  }
  const page = await loader.loadPage({ ...request, authorization, conditional: conditional ?? null }, signal);
  if (!isAuto || page.kind !== "page") return { page, autoMode: null, isTested: false };
  if (!(await needsBrowser(snapshot.objectId, page, deps.reader))) return { page, autoMode: "http", isTested: true };
  const rendered = await inBrowser();
  if (!isMissing(rendered)) return { page: rendered, autoMode: "browser", isTested: true };
  const warning = `This page is drawn by its scripts, and only what the server sent was kept: ${rendered.message}`;
  return { page: { ...page, warning }, autoMode: null, isTested: false };
}

async function loadInBrowser(
  snapshot: ClaimedSnapshot,
  request: PageRequest,
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

function readyRule({ readyWhen, readySelector, readyMs }: ClaimedSnapshot): ReadyRule {
  if (readyWhen === "selector") return { kind: "selector", selector: readySelector };
  return readyWhen === "time" ? { kind: "time", ms: readyMs } : { kind: "quiet" };
}

function isMissing(page: PageResult): page is Extract<PageResult, { kind: "failed" }> {
  return page.kind === "failed" && page.code === "browser_unavailable";
}

/** Whether a page of an object that came over HTTP is drawn by its scripts. */
async function needsBrowser(
  objectId: string,
  result: PageResult,
  reader: Pick<PageReader, "isShell">,
): Promise<boolean> {
  if (result.kind !== "page" || result.charset === null) return false;
  return reader.isShell(objectId, { find: "shell", bytes: result.body, charset: result.charset });
}
