import { limits } from "@web-tester/contracts/limits";
import { visitHeaders } from "@web-tester/loader/visit-headers";
import { wantsCookies } from "@web-tester/loader/wants-cookies";
import { isSignedOut, type SessionState, withSession } from "@web-tester/loader/session-state";
import { authorizationOf } from "@web-tester/loader/authorization";
import { secretMask } from "@web-tester/loader/mask-secrets";
import type { PageResult } from "@web-tester/loader/page-result";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { VisitedPage } from "@web-tester/records/pages/visited-page";
import { UnreadableSecret } from "@web-tester/platform/secrets/secret-box";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import { during } from "@web-tester/records/hosts/crawl-delay";
import type { VisitDeps } from "./crawl-context.js";
import type { CrawlRules, Frontier } from "../pure/frontier.js";
import { interpretLoad, type LoadedHtml } from "../pure/interpret-load.js";
import { withDrawnLinks } from "./look-for-links.js";
import { handedOver, readPage, type Visited } from "./read-page.js";
import { type RenderedPage, renderPage, scanRendered, type ShownPage, showPage } from "./render-page.js";
import { type OriginRobots, robotsAccess, robotsAsker } from "./robots-store.js";
import type { CrawlSession, CrawlSessions } from "./sign-in.js";
import { ReadingEnded } from "../pure/slices.js";
import { withoutSecrets } from "../pure/without-secrets.js";

export type Visit =
  | Visited
  /** The address may succeed later; `isCounted` says whether a request was made. */
  | { kind: "later"; delayMs: number; isCounted: boolean }
  /** The service is stopping, or the page is no longer this crawler's. */
  | { kind: "interrupted" };

/**
 * After this many attempts that ended with the crawler's own end, not with a failure of the page, the address is taken to
 * crash the crawler.
 */
const crashesMax = 6;
/** How long all requests to the host wait after 429 or 503 without a usable Retry-After. */
const slowDownMs = 1_000;

/** Visits one address: robots, the host's turn, the load, its links. Writes nothing. */
export async function visitPage(page: ClaimedPage, deps: VisitDeps, frontier: Frontier): Promise<Visit> {
  const blank = blankVisit(page);
  try {
    const hide = secretMask({ url: page.url, authorization: authorizationOf(page, deps.secrets) });
    const visit = await tryVisit(page, blank, deps, frontier);
    return hide === null || visit.kind !== "visited" ? visit : { ...visit, ...withoutSecrets(visit, hide) };
  } catch (error) {
    // another attempt would not make the object's secrets readable
    if (!(error instanceof UnreadableSecret)) throw error;
    return endedWith(blank, { error_code: "login_failed", error: error.message });
  }
}

async function tryVisit(page: ClaimedPage, blank: VisitedPage, deps: VisitDeps, frontier: Frontier): Promise<Visit> {
  const { crawlDelay, secrets, signal } = deps;
  const ended = (part: Partial<VisitedPage>) => endedWith(blank, part);
  const crash = crashOf(page);
  if (crash !== null) return ended({ error_code: "worker_crashed", error: crash });
  const url = new URL(page.url);
  // the address was found before the pattern was added; the first page is always visited, as the crawl was asked for it
  if (page.depth > 0 && frontier.rulesOf(page).isExcluded(url)) return ended({ outcome: "excluded" });
  const robots = await deps.robots.bindingOf(url.origin, robotsAccess(page, secrets));
  if (signal.aborted) return { kind: "interrupted" };
  if (robots !== null && !robots.isAllowed(url)) return ended({ outcome: "denied", error: deniedReason(robots) });

  const entry = await crawlDelay.enter(url.host, delayOf(page, robots), signal);
  if (entry.kind === "later") return { kind: "later", delayMs: entry.waitMs, isCounted: false };
  // the browser, where it is needed, makes its request in the same turn
  return during(entry, () => visitInTurn(page, blank, { ...deps, frontier }, robots));
}

function blankVisit({ id, fence }: ClaimedPage): VisitedPage {
  return {
    id,
    fence,
    outcome: "failed",
    http_status: null,
    error_code: null,
    error: null,
    instance: null,
    redirectedTo: null,
    target: null,
    name: null,
    carried: [],
    bytes: 0,
  };
}

/** @returns why an address is given up, null while it may be tried */
export function crashOf({ attempts, failures }: Pick<ClaimedPage, "attempts" | "failures">): string | null {
  const deaths = attempts - failures - 1;
  if (deaths < crashesMax) return null;
  return `The crawler stopped ${deaths} times while it worked on this address, so it was given up. The crawler's log says more.`;
}

/** @param robots rules of the page's own origin; null where they do not count */
async function visitInTurn(
  page: ClaimedPage,
  blank: VisitedPage,
  deps: VisitDeps & { frontier: Frontier },
  robots: OriginRobots | null,
): Promise<Visit> {
  const { crawlDelay, signal, frontier } = deps;
  const { host } = new URL(page.url);
  const ended = (part: Partial<VisitedPage>) => endedWith(blank, part);
  const rules = frontier.rulesOf(page);
  const startedAt = performance.now();
  const loaded = await loadSignedIn(page, deps.sessions, (session) => loadFor(page, session, deps, rules, robots));
  if ("problem" in loaded) return ended({ error_code: "login_failed", error: loaded.problem });
  const { result, deniedRedirect, leadsTo } = loaded;
  deps.loads.loaded(result.mode, (performance.now() - startedAt) / 1000);
  const { status, bytesOnWire: bytes } = result;
  if (signal.aborted && result.kind === "failed") return { kind: "interrupted" };
  if (status === 429 || status === 503)
    await crawlDelay.push(host, result.kind === "failed" ? (result.retryAfterMs ?? slowDownMs) : slowDownMs);
  const through = { ...blank, http_status: status, bytes };
  if (deniedRedirect !== null)
    return ended({ ...through, outcome: "denied", error: deniedByRobots, target: deniedRedirect });
  if (leadsTo !== null) {
    if (rules.isExcluded(leadsTo)) return ended({ ...through, outcome: "excluded", target: leadsTo.href });
    return handedOver(page, through, leadsTo);
  }
  const reading = interpretLoad(result, page.failures + 1);
  if (reading.kind === "later") return { kind: "later", delayMs: reading.delayMs, isCounted: true };
  if (reading.kind === "page" && (status === 204 || status === 205))
    return ended({
      ...through,
      outcome: "not-html",
      error: `The server answered ${status}: this page does not exist.`,
    });
  if (reading.kind === "page")
    return readLoaded(page, through, reading, deps, async (read) =>
      withDrawnLinks(page, await showPage(page, read, deps), read, frontier, deps),
    );
  const rendered =
    result.kind === "failed" && wantsCookies(result.code) ? await renderWithCookies(page, deps, rules, robots) : null;
  if (rendered !== null)
    return readLoaded(
      page,
      { ...through, http_status: rendered.status },
      { ...rendered, charset: "utf-8", refreshUrl: null },
      deps,
      () => scanRendered(page, rendered, deps),
    );
  return ended({ ...through, outcome: reading.outcome, error_code: reading.code, error: reading.message });
}

/**
 * Renders a page that sets a cookie and redirects to itself, as a browser sees it; null where the browser shows no page
 * that the crawl may visit.
 */
async function renderWithCookies(
  page: ClaimedPage,
  deps: VisitDeps & { frontier: Frontier },
  rules: CrawlRules,
  robots: OriginRobots | null,
): Promise<RenderedPage | null> {
  if (page.fetchMode === "http" || !deps.frontier.isBrowserOfUse(page.runId)) return null;
  const rendered = await renderPage(page, page.url, deps);
  deps.frontier.noteBrowser(page.runId, !("problem" in rendered));
  if ("problem" in rendered) return null;
  const { finalUrl } = rendered;
  const isOwn = finalUrl.origin === new URL(page.url).origin && rules.isInScope(finalUrl);
  return isOwn && (robots === null || robots.isAllowed(finalUrl)) ? rendered : null;
}

/** Reads the loaded page, until reading takes too long. */
async function readLoaded(
  page: ClaimedPage,
  through: VisitedPage,
  reading: LoadedHtml,
  deps: VisitDeps & { frontier: Frontier },
  show: (read: LoadedHtml) => Promise<ShownPage>,
): Promise<Visit> {
  const asker = robotsAsker(page);
  try {
    return await readPage(page, through, reading, {
      known: (origin) => deps.robots.known(origin, asker),
      frontier: deps.frontier,
      show,
      isWanted: () => deps.isHeld(page),
    });
  } catch (error) {
    if (!(error instanceof ReadingEnded)) throw error;
    if (error.why === "not-wanted") return { kind: "interrupted" };
    // final: reading it would take as long in any other crawler
    return endedWith(through, { error_code: "timed_out", error: error.message });
  }
}

const deniedByRobots = "It redirects to an address that robots.txt disallows.";

function endedWith(blank: VisitedPage, part: Partial<VisitedPage>): Visit {
  return { kind: "visited", visited: { ...blank, ...part }, found: [], skipped: [] };
}

function deniedReason(robots: OriginRobots): string | null {
  return robots.problem ?? "robots.txt disallows it.";
}

/** Returns the delay between requests: the longer of what the person set and what robots.txt asks for, at most a minute. */
export function delayOf(
  page: Pick<ClaimedPage, "requestDelayMs">,
  robots: Pick<OriginRobots, "crawlDelayMs"> | null,
): number {
  return Math.min(limits.requestDelayMaxMs, Math.max(page.requestDelayMs, robots?.crawlDelayMs ?? 0));
}

interface Loaded {
  result: PageResult;
  deniedRedirect: string | null;
  /** The target of a redirect that is not followed here but visited on its own. */
  leadsTo: URL | null;
}

/**
 * How often a page is loaded alone with a new session: the first new one may have been renewed for another page, and have
 * ended since.
 */
const triesAlone = 2;

/**
 * Loads a page, signed in where its object says how. Where the site no longer accepts the session, the page is loaded
 * again with a new one, alone: a page that leads to the login even then, such as a logout link, does so for everybody.
 */
async function loadSignedIn(
  page: ClaimedPage,
  sessions: CrawlSessions,
  load: (session: SessionState | null) => Promise<Loaded>,
): Promise<Loaded | { problem: string }> {
  const first = await sessions.of(page);
  if (first.problem !== null) return { problem: first.problem };
  const { state } = first;
  if (state === null) return load(null);
  const loaded = await sessions.beside(page, () => load(state));
  if (!isLedToLogin(state, page.url, loaded)) return loaded;
  return sessions.alone(page, async () => {
    let [session, last]: [CrawlSession, Loaded] = [first, loaded];
    for (let tries = 0; tries < triesAlone; tries += 1) {
      const next = await sessions.renew(page, session);
      if (next === null) break;
      if (next.state === null) return { problem: next.problem ?? "Nobody could sign in." };
      session = next;
      last = await load(next.state);
      if (!isLedToLogin(next.state, page.url, last)) break;
    }
    return last;
  });
}

function isLedToLogin(state: SessionState, asked: string, { result, deniedRedirect, leadsTo }: Loaded): boolean {
  const { status, finalUrl } = result;
  return isSignedOut(state, asked, { status, finalUrl: leadsTo?.href ?? deniedRedirect ?? finalUrl });
}

/** @param robots rules of the page's own origin; null where they do not count */
async function loadFor(
  page: ClaimedPage,
  session: SessionState | null,
  { loader, secrets, signal }: VisitDeps,
  rules: CrawlRules,
  robots: OriginRobots | null,
): Promise<Loaded> {
  let deniedRedirect: string | null = null;
  let leadsTo: URL | null = null;
  const { origin } = new URL(page.url);
  const isPaced = delayOf(page, robots) > 0;
  const checkRedirect = (written: URL): string | null => {
    const target = rules.canonical(written.href, written);
    if (target === null || !rules.isInScope(target))
      return `The page redirects to ${written.href}, which is outside the site being crawled.`;
    // another origin has its own robots.txt and its own limit, and the delay must be kept between any two requests
    if (target.href !== page.url && (target.origin !== origin || isPaced)) {
      leadsTo = target;
      return "It is visited separately.";
    }
    if (robots === null || robots.isAllowed(written)) return null;
    deniedRedirect = target.href;
    return "robots.txt disallows it.";
  };
  const result = await loader.loadPage(
    {
      url: page.url,
      consent: consentFor(new URL(page.objectUrl)),
      authorization: withSession(authorizationOf(page, secrets), page, session),
      extraHeaders: visitHeaders(page.visit),
      accept: "html",
      checkRedirect,
    },
    signal,
  );
  return { result, deniedRedirect, leadsTo };
}
