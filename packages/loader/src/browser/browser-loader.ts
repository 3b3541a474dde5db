import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { portOf } from "@web-tester/platform/egress/address-policy";
import type { CDPSession, Request, Response } from "playwright-core";
import { readContentType } from "../content-type.js";
import { describeStatus, isOfPage, readRetryAfter } from "../http-status.js";
import { maskSecrets } from "../mask-secrets.js";
import { nameUrl } from "../name-url.js";
import type { Loader, PageRequest, PageResult, RedirectHop } from "../page-result.js";
import { parsePageUrl, withoutCredentials } from "../page-url.js";
import { type HeaderRecord, lastHeader, recordHeaders } from "../response-headers.js";
import type { BrowserPage, BrowserPool } from "./browser-pool.js";
import { emptyDocument } from "../empty-document.js";
import { captureResources } from "./capture-resources.js";
import { PasswordAskers } from "./decline-passwords.js";
import { describeNavigation, netErrorOf } from "./describe-navigation.js";
import { answerOfShown } from "./follow-navigations.js";
import { watchTraffic } from "./page-traffic.js";
import { blockAddresses, clickAway } from "./page-wishes.js";
import { sendAuthorization } from "./send-authorization.js";
import { readWithClosed, type Unkept } from "./read-document.js";
import { bringSession } from "./sign-in.js";
import { scriptsReveal } from "./scripts-reveal.js";
import { type Settled, settle } from "./settle.js";
import { findXmlView } from "./xml-view.js";

/** A request for a load in the browser, with what it needs beyond a load over HTTP. */
export interface BrowserPageRequest extends PageRequest {
  /** The test object that the page belongs to. */
  owner: string;
  /** Whether the result is to contain the server's source as well. */
  comparesSource?: boolean;
  /** Waits for the turn of one more request to a host; the returned function ends that turn. */
  enter(host: string, port: number): Promise<() => void>;
}

export interface BrowserLoader {
  /** As `Loader.loadPage`; the body is the document after its scripts ran, as UTF-8. Conditions and extra headers are not sent. */
  loadPage(request: BrowserPageRequest, signal: AbortSignal): ReturnType<Loader["loadPage"]>;
}

/** Creates a loader that loads pages in Chromium, with the same results as over HTTP, read after their scripts ran. */
export function createBrowserLoader(pool: BrowserPool): BrowserLoader {
  const askers = new PasswordAskers();
  return maskSecrets<BrowserPageRequest>({
    async loadPage(request, signal) {
      for (let loads = 1; ; loads += 1) {
        const result = await new BrowserLoad(request, signal, pool, askers, loads < loadsMax).run();
        if (result === "asks for a password") continue;
        // another page in the same browser may have caused the crash
        if (result.kind !== "failed" || result.code !== "browser_crashed" || signal.aborted || loads > 1) return result;
      }
    },
  });
}

/** The most loads of one page: each further one may meet another site that asks for a password. */
const loadsMax = 3;
const headersMs = 1_000;
const sourceMs = 1_000;
/** The time for the source where it is kept itself, or decides for a day what scripts do. */
const wantedSourceMs = 10_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding"]);

class BrowserLoad {
  private readonly startedAt = performance.now();
  private firstByteMs: number | null = null;
  private documents: Request[] = [];
  private status: number | null = null;
  private headers: HeaderRecord = {};
  private finalUrl: URL | null = null;
  private bytesOnWire = 0;
  private readonly overBudget = new AbortController();

  constructor(
    private readonly request: BrowserPageRequest,
    private readonly signal: AbortSignal,
    private readonly pool: BrowserPool,
    private readonly askers: PasswordAskers,
    /** Whether the page is loaded once more where it waits for a password. */
    private readonly mayAsk: boolean,
  ) {}

  async run(): Promise<PageResult | "asks for a password"> {
    const deadlineMs = this.request.deadlineMs ?? budgets.browserDeadlineMs;
    try {
      const url = parsePageUrl(this.request.url);
      this.finalUrl = url;
      return await this.pool.withPage(
        {
          owner: this.request.owner,
          ...(this.request.visitor === undefined ? {} : { visitor: this.request.visitor }),
          grant: {
            consent: this.request.consent,
            maxBytes: budgets.pageMaxBytes,
            onOverBudget: () =>
              this.overBudget.abort(
                new AppError(
                  "too_large",
                  `${nameUrl(url)} loads more than ${budgets.pageMaxBytes / 1024 ** 2} MiB in a browser, which is more than one page may.`,
                ),
              ),
            enter: (host, port) => this.request.enter(host, port),
          },
          deadlineMs,
          signal: AbortSignal.any([this.signal, this.overBudget.signal]),
        },
        (tab) => this.show(url, tab),
      );
    } catch (error) {
      return this.fail(error, deadlineMs);
    }
  }

  private async show(url: URL, tab: BrowserPage): Promise<PageResult | "asks for a password"> {
    const { page, cdp, proxyListener, over } = tab;
    const { authorization, onResource } = this.request;
    await tab.forget(url);
    const capture =
      onResource === undefined
        ? null
        : captureResources(onResource, proxyListener, this.request.wantsScript ?? (() => false));
    const traffic = watchTraffic(page, cdp, capture?.ended ?? null);
    this.documents = traffic.documents;
    const { blocked = [], dismiss = [] } = this.request;
    const stopSending = authorization == null ? null : await sendAuthorization(cdp, authorization);
    const stopDeclining = tab.asksForPasswords ? await this.askers.decline(tab, authorization?.origin) : null;
    const leave = this.request.session == null ? null : await bringSession(cdp, this.request.session);
    const stopBlocking = blocked.length === 0 ? null : await blockAddresses(cdp, blocked);
    try {
      const response = await this.navigate(url, tab);
      if (response === null || !(await this.take(response))) return this.notHtml();
      const ready = this.request.ready ?? { kind: "quiet" };
      const settling = { cdp, traffic, ready, maxChars: this.maxChars(), signal: over };
      const asks = tab.asksForPasswords && this.mayAsk ? [this.askers.met(traffic, tab)] : [];
      const first = await Promise.race([settle(settling), ...asks]);
      if (first === undefined) return "asks for a password";
      let settled = first;
      if (dismiss.length > 0 && (await clickAway(page, dismiss))) settled = await settle(settling);
      // scripts may have navigated to another page meanwhile
      const shown = answerOfShown(traffic, proxyListener);
      if (shown !== response && !(await this.take(shown))) return this.notHtml();
      // what it asked for after that became no page: a download, or an answer without content
      this.documents = traffic.documents.slice(0, traffic.documents.indexOf(shown.request()) + 1);
      const isWanted = this.request.comparesSource === true || findXmlView(settled.document)?.kind === "tree";
      const read = await sourceOf(shown, isWanted ? wantedSourceMs : sourceMs);
      const source = read === "late" ? null : read;
      const hasLooked = settled.document.mayHide && !settled.isInert;
      if (source !== null && !hasLooked && declaresClosed(source))
        settled = { ...settled, document: await readWithClosed(cdp, this.maxChars(), settled.document) };
      if (settled.isInert && dismiss.length === 0 && shown === response && mayRunNothing(response, source))
        tab.ranNothing();
      this.requireWhole(shown);
      await capture?.done();
      this.bytesOnWire = proxyListener.bytes;
      return await this.page(cdp, settled, shown === response && traffic.shown.length === 1 ? read : null);
    } finally {
      this.bytesOnWire = proxyListener.bytes;
      traffic.stop();
      await stopSending?.();
      await stopDeclining?.();
      await stopBlocking?.();
      await leave?.();
    }
  }

  /** @returns null where the browser would have downloaded the answer. @throws AppError */
  private async navigate(url: URL, { page, proxyListener }: BrowserPage): Promise<Response | null> {
    try {
      return await page.goto(url.href, { waitUntil: "commit", timeout: 0 });
    } catch (error) {
      const at = URL.parse(this.documents.at(-1)?.url() ?? url.href) ?? url;
      this.finalUrl = at;
      const netError = netErrorOf(error);
      if (netError === null) throw error;
      if (netError === "ERR_INVALID_AUTH_CREDENTIALS") throw this.unauthorized(at);
      const refused = proxyListener.failureOf(at.hostname, portOf(at));
      if (refused !== null && netError !== "ERR_ABORTED") throw refused;
      if (netError !== "ERR_ABORTED") throw describeNavigation(netError, at.host, error);
      const response = await this.documents.at(-1)?.response();
      if (response == null) throw describeNavigation(netError, at.host, error);
      await this.note(response);
      if (response.status() === 204 || response.status() === 205) throw emptyDocument(this.where());
      return null;
    }
  }

  /**
   * The error for an answer of 401 that asks for a password: Chromium does not show its page where nobody can be asked for one.
   */
  private unauthorized(at: URL): AppError {
    this.status = 401;
    const { code, message } = describeStatus(401, nameUrl(at), this.request.authorization?.origin === at.origin);
    return new AppError(code, message);
  }

  /**
   * Checks that the page arrived completely, as Chromium shows whatever part of it came. @throws AppError body_cut_off,
   * encoding_broken
   */
  private requireWhole(shown: Response): void {
    const netError =
      shown
        .request()
        .failure()
        ?.errorText.replace(/^net::/, "") ?? "ERR_ABORTED";
    // its own scripts may have rewritten it before it had arrived
    if (netError === "ERR_ABORTED") return;
    const { host } = new URL(shown.url());
    if (netError.includes("DECODING")) throw describeNavigation(netError, host, undefined);
    throw new AppError(
      "body_cut_off",
      `The server ${host} ended the connection before the whole page had arrived (${netError}). Try again; if it happens every time, the server is at fault.`,
    );
  }

  /**
   * Records status, address and headers of an answer.
   * @returns whether it is HTML, as far as its headers tell
   * @throws AppError for a status that no page has
   */
  private async take(response: Response): Promise<boolean> {
    const url = await this.note(response);
    const status = response.status();
    if (!isOfPage(status, this.headers)) {
      const { authorization } = this.request;
      const { code, message } = describeStatus(status, nameUrl(url), authorization?.origin === url.origin);
      throw new AppError(code, message);
    }
    const { checkRedirect } = this.request;
    const reason = url.href === parsePageUrl(this.request.url).href ? null : (checkRedirect?.(url) ?? null);
    if (reason !== null)
      throw new AppError("out_of_scope", `The page led to ${nameUrl(url)}, which is not followed: ${reason}`);
    return readContentType(this.headers).kind !== "other";
  }

  private async note(response: Response): Promise<URL> {
    const url = new URL(response.url());
    url.hash = "";
    this.finalUrl = url;
    this.firstByteMs ??= performance.now() - this.startedAt;
    this.status = response.status();
    // Chromium may withhold the full headers of a page that is about to navigate on
    const known = () => Object.entries(response.headers()).map(([name, value]) => ({ name, value }));
    const headers = await Promise.race([response.headersArray(), pause(headersMs).then(known)]).catch(known);
    // over http: these headers are of the connection to our proxy, not to the site
    const isSites = (name: string) => url.protocol !== "http:" || !ofConnection.has(name.toLowerCase());
    this.headers = recordHeaders(
      headers.flatMap(({ name, value }): [string, string][] => (isSites(name) ? [[name, value]] : [])),
    );
    return url;
  }

  private async page(
    cdp: CDPSession,
    { document, moving }: Settled,
    read: Buffer | "late" | null,
  ): Promise<PageResult> {
    const { contentType } = readContentType(this.headers);
    if (!/^(?:text\/html|application\/xhtml\+xml)$/.test(document.contentType)) return this.notHtml();
    const xml = findXmlView(document);
    // the browser's own view of the source adds nothing to it
    const asSent = xml?.kind === "tree" && read !== "late" ? read : null;
    const body = asSent ?? (document.html === null ? null : Buffer.from(document.html, "utf8"));
    const maxBytes = this.request.maxBytes ?? budgets.htmlMaxBytes;
    if (body === null || body.length > maxBytes)
      throw new AppError(
        "too_large",
        `The page ${this.where()} has more than ${maxBytes / 1024 ** 2} MiB of HTML after its scripts ran, which is more than one page may have.`,
      );
    if (document.isBlank) throw emptyDocument(this.where());
    const warning = [
      ...(xml === null ? [] : [xml.warning]),
      ...(moving === null ? [] : [notSettled(moving)]),
      ...describeUnkept(document.unkept),
    ].join(" ");
    return {
      kind: "page",
      status: this.status ?? 200,
      body,
      contentType,
      charset: "utf-8",
      warning: warning === "" ? null : warning,
      ...(this.request.comparesSource === true ? await compared(cdp, read) : {}),
      ...this.trace(),
    };
  }

  private notHtml(): PageResult {
    const contentType = lastHeader(this.headers, "content-type") ?? "application/octet-stream";
    return { kind: "not-html", status: this.status ?? 200, contentType, ...this.trace() };
  }

  private maxChars(): number {
    return this.request.maxBytes ?? budgets.htmlMaxBytes;
  }

  private fail(error: unknown, deadlineMs: number): PageResult {
    const known = this.describe(error, deadlineMs);
    return {
      kind: "failed",
      code: known.code,
      message: known.message,
      retryable: known.retryable,
      status: this.status,
      retryAfterMs: this.status === null ? null : readRetryAfter(this.headers, Date.now()),
      ...this.trace(),
    };
  }

  private describe(error: unknown, deadlineMs: number): AppError {
    const cause = this.overBudget.signal.aborted ? this.overBudget.signal.reason : error;
    if (cause instanceof AppError && cause.code !== "timed_out") return cause;
    if (cause instanceof AppError && !cause.message.startsWith("The page was ended")) return cause;
    if (cause instanceof AppError) {
      const state =
        this.status === null ? "the server did not answer in that time" : "its scripts or files did not come to an end";
      return new AppError(
        "timed_out",
        `Loading ${this.where()} in the browser was stopped after ${deadlineMs / 1000} s: ${state}. Try again; if it happens every time, fetch this site without a browser.`,
        { cause },
      );
    }
    return new AppError(
      "browser_crashed",
      `The browser could not show ${this.where()}: it crashed, or the page kept navigating to other pages. Try again; if it happens every time, fetch this site without a browser.`,
      { cause },
    );
  }

  private where(): string {
    return this.finalUrl === null ? "the page" : nameUrl(this.finalUrl);
  }

  private trace() {
    return {
      mode: "browser" as const,
      finalUrl: this.finalUrl?.href ?? withoutCredentials(this.request.url),
      redirects: redirectsOf(this.documents, this.finalUrl),
      headers: this.headers,
      timings: { totalMs: performance.now() - this.startedAt, firstByteMs: this.firstByteMs },
      bytesOnWire: this.bytesOnWire,
    };
  }
}

/** What the server sent, as Chromium keeps it: its text, in UTF-8 whatever it came in. @returns null where it is not kept; "late" where it has not come so soon: some pages never come to an end, and a busy machine takes its time */
async function sourceOf(response: Response, withinMs: number): Promise<Buffer | "late" | null> {
  return Promise.race([response.body(), pause(withinMs).then(() => "late" as const)]).catch(() => null);
}

/** What is to be compared with what the server sent; nothing where that did not come. */
async function compared(cdp: CDPSession, source: Buffer | "late" | null) {
  if (source === "late") return {};
  return { source, reveals: source !== null && (await scriptsReveal(cdp, source.toString("utf8"))) };
}

/** Whether a page has nothing that runs without being visible in its document: closed shadow trees, and prerendered pages. */
function mayRunNothing(response: Response, source: Buffer | null): boolean {
  if ("speculation-rules" in response.headers()) return false;
  // not in UTF-16, where the word has other bytes
  return source !== null && !source.includes(0) && !/shadowrootmode/i.test(source.toString("latin1"));
}

/** Whether the source declares a closed shadow tree. */
function declaresClosed(source: Buffer): boolean {
  return /shadowrootmode\s*=[\s"']*closed/i.test(source.toString("latin1"));
}

const notSettled = (moving: string): string =>
  `Not settled: the page kept loading or changing in the browser (${moving}). It was stored as it was when the time ran out.`;

const whyUnkept: Readonly<Record<keyof Unkept, string>> = {
  foreign: "it shows pictures of other sites, which no page may read",
  gone: "it was drawn where it cannot be read any more",
  large: "the pictures of this page's drawings are too large together",
};

/** Describes the drawings that could not be kept, as sentences. */
function describeUnkept(unkept: Unkept): string[] {
  return Object.entries(unkept).flatMap(([kind, count]) => {
    const why = kind === "foreign" || kind === "gone" || kind === "large" ? whyUnkept[kind] : "";
    if (count === 0) return [];
    return [`${count === 1 ? "A drawing" : `${count} drawings`} (canvas) could not be kept as a picture: ${why}.`];
  });
}

const redirectsKept = 20;

/** Every document before the last one, those that scripts navigated away from included. */
function redirectsOf(documents: readonly Request[], finalUrl: URL | null): RedirectHop[] {
  const hops = documents.flatMap((request) => {
    const response = request.existingResponse();
    return response === null ? [] : [{ url: request.url(), status: response.status() }];
  });
  if (hops.at(-1)?.url.replace(/#.*$/s, "") === finalUrl?.href) hops.pop();
  return hops.slice(0, redirectsKept);
}
