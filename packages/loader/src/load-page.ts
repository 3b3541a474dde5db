import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { type Egress, discard } from "@web-tester/platform/egress/egress";
import type { EgressResponse } from "@web-tester/platform/egress/hop";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import { encodeQuery } from "@web-tester/html/charset/encode-query";
import { findRefresh } from "@web-tester/html/links/meta-refresh";
import { parseRefresh } from "@web-tester/html/links/parse-refresh";
import { acceptedCodings, type Codings, cannotUnpack, describeUnknown, readCodings } from "./content-codings.js";
import { isToBeSaved, readContentType } from "./content-type.js";
import { emptyDocument } from "./empty-document.js";
import { followRedirect, isRedirect } from "./follow-redirect.js";
import { describeStatus, isOfPage, isShownThough, readRetryAfter } from "./http-status.js";
import { inspectText } from "./inspect-text.js";
import { maskSecrets } from "./mask-secrets.js";
import { nameUrl } from "./name-url.js";
import type { LoadedPage, Loader, PageRequest, PageResult, RedirectHop, RefusedFile } from "./page-result.js";
import { namesAnotherVersion } from "./names-another-version.js";
import { parsePageUrl, withoutCredentials } from "./page-url.js";
import { readBody } from "./read-body.js";
import { streamBody } from "./stream-body.js";
import { contentLength, type HeaderRecord, joinedHeader, lastHeader, recordHeaders } from "./response-headers.js";

/** Later refreshes only renew a page that is meant to be read first. */
const refreshMaxSeconds = 5;
/** Whether the page may contain a refresh, told without decoding it, which few pages need. */
const mayRefresh = (body: Buffer, charset: string) =>
  charset.startsWith("utf-16") || /refresh/i.test(body.toString("latin1", 0, 256 * 1024));
const isSpace = (byte: number) => byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf;

export interface LoaderOptions {
  egress: Egress;
  /** Sent as User-Agent. */
  userAgent: string;
}

/**
 * Creates a loader over HTTP: it follows redirects itself, sends every hop through the egress guard, and keeps everything
 * within one deadline and one size budget.
 */
export function createLoader({ egress, userAgent }: LoaderOptions): Loader {
  const ownHeaders = { "user-agent": userAgent, "accept-encoding": acceptedCodings };

  async function loadPage(request: PageRequest, signal: AbortSignal): Promise<PageResult> {
    const load = new Load(request, signal, { ...ownHeaders, ...variableHeaders(request) }, egress);
    try {
      return await load.run();
    } catch (error) {
      return load.fail(error);
    } finally {
      load.release();
    }
  }

  return maskSecrets({ loadPage });
}

/** One load from its first request to its result: what it has learned so far, and its deadline. */
class Load {
  private readonly startedAt = performance.now();
  private readonly abort = new AbortController();
  private deadlineMs: number;
  private timer: NodeJS.Timeout;
  private readonly cancel = () =>
    this.abort.abort(
      this.signal.reason instanceof AppError
        ? this.signal.reason
        : new AppError("cancelled", "The load was cancelled."),
    );
  private readonly timeIsOver = () => {
    const elapsedMs = performance.now() - this.startedAt;
    const announced = contentLength(this.headers);
    const moreMs = this.request.moreTime?.({ elapsedMs, bytes: this.bytesOnWire, announced }) ?? 0;
    if (moreMs <= 0) return this.abort.abort(this.describeTimeout());
    this.deadlineMs = Math.round((elapsedMs + moreMs) / 100) * 100;
    this.timer = setTimeout(this.timeIsOver, moreMs);
  };
  private readonly redirects: RedirectHop[] = [];
  private url: URL | null = null;
  private status: number | null = null;
  private headers: HeaderRecord = {};
  private firstByteMs: number | null = null;
  private bytesOnWire = 0;
  /** False once the server has answered a condition with a contradiction. */
  private mayAskConditionally = true;

  constructor(
    private readonly request: PageRequest,
    private readonly signal: AbortSignal,
    private readonly sentHeaders: Record<string, string>,
    private readonly egress: Egress,
  ) {
    this.deadlineMs = request.deadlineMs ?? budgets.httpDeadlineMs;
    this.timer = setTimeout(this.timeIsOver, this.deadlineMs);
    if (signal.aborted) this.cancel();
    else signal.addEventListener("abort", this.cancel, { once: true });
  }

  release(): void {
    clearTimeout(this.timer);
    this.signal.removeEventListener("abort", this.cancel);
  }

  async run(): Promise<PageResult> {
    let url = parsePageUrl(this.request.url);
    for (;;) {
      this.url = url;
      const response = await this.send(url);
      const { status } = response;
      if (isRedirect(status)) {
        discard(response.body, contentLength(this.headers));
        this.redirects.push({ url: url.href, status });
        url = followRedirect(url, lastHeader(this.headers, "location"), this.redirects, this.request.checkRedirect);
        continue;
      }
      if (isOfPage(status, this.headers)) {
        const page = await this.takePage(url, response);
        const next = this.request.asSeen === true && page.kind === "page" ? this.next(url, page) : null;
        if (next === null) return page;
        url = next;
        continue;
      }
      if (status !== 304 || !this.isConditional()) return await this.refused(url, response);
      discard(response.body, contentLength(this.headers));
      if (!namesAnotherVersion(validatorsOf(this.request), this.headers))
        return { kind: "not-modified", status, ...this.trace() };
      this.mayAskConditionally = false;
    }
  }

  /** @throws AppError with the reason, unless browsers show what came with the status of an error */
  private async refused(url: URL, { status, body }: EgressResponse): Promise<PageResult> {
    const { code, message } = describeStatus(status, nameUrl(url), this.authorizationFor(url) !== null);
    const error = new AppError(code, message);
    const { contentType } = readContentType(this.headers);
    if (!error.retryable && isShownThough(status, this.request.showsRefused, contentType)) {
      const { bytes } = await this.takeBody(url, body);
      return this.fail(error, { body: bytes, contentType: contentType ?? "" });
    }
    discard(body, contentLength(this.headers));
    throw error;
  }

  fail(error: unknown, refused?: RefusedFile): PageResult {
    const known =
      error instanceof AppError
        ? error
        : new AppError(
            "internal",
            `Loading ${this.where()} failed because of an error in this product, not in the site. Check its log.`,
            { cause: error },
          );
    const retryAfterMs = this.status === null ? null : readRetryAfter(this.headers, Date.now());
    return {
      kind: "failed",
      code: known.code,
      message: known.message,
      retryable: known.retryable,
      status: this.status,
      retryAfterMs,
      refused,
      ...this.trace(),
    };
  }

  private async send(url: URL): Promise<EgressResponse> {
    this.status = null;
    this.headers = {};
    const headers = {
      ...this.sentHeaders,
      ...(this.isConditional() ? conditionalHeaders(this.request) : {}),
      ...this.authorizationFor(url),
    };
    const response = await this.egress.request({
      url,
      headers,
      consent: this.request.consent,
      signal: this.abort.signal,
      deadlineMs: null,
    });
    this.firstByteMs = performance.now() - this.startedAt;
    this.status = response.status;
    this.headers = recordHeaders(response.headers);
    return response;
  }

  private async takePage(url: URL, { status, body }: EgressResponse): Promise<PageResult> {
    const acceptsAny = this.request.accept === "any";
    const { contentType, kind } = readContentType(this.headers);
    if (!acceptsAny && contentType !== null && (kind === "other" || isToBeSaved(this.headers))) {
      discard(body, contentLength(this.headers));
      return { kind: "not-html", status, contentType, ...this.trace() };
    }
    if (this.request.take !== undefined) {
      await this.streamBody(url, body, this.request.take);
      const nothing = { body: Buffer.alloc(0), charset: null, warning: null };
      return { kind: "page", status, contentType, ...nothing, ...this.trace() };
    }
    const { bytes, unknown } = await this.takeBody(url, body);
    const text = kind === "other" ? { charset: null, warning: null } : inspectText(bytes, contentType);
    if (acceptsAny || text.charset !== null) {
      const warning = text.warning ?? (unknown.length === 0 ? null : describeUnknown(unknown));
      return { kind: "page", status, body: bytes, contentType, charset: text.charset, warning, ...this.trace() };
    }
    if (kind === "unknown")
      return { kind: "not-html", status, contentType: contentType ?? "application/octet-stream", ...this.trace() };
    if (unknown.length > 0) throw cannotUnpack(unknown, this.whereOf(url));
    throw new AppError(
      "not_html",
      `${nameUrl(url)} is labelled as HTML (${contentType ?? ""}), but is an image, an archive or another binary file. Correct its Content-Type on the server.`,
    );
  }

  /**
   * The address that a refresh of the page loads at once; null where it stays. @throws AppError empty_document,
   * reload_loop, and as a redirect does
   */
  private next(url: URL, { status, body, charset }: LoadedPage): URL | null {
    const header = lastHeader(this.headers, "refresh");
    const refresh =
      (header === null ? null : parseRefresh(header)) ??
      (charset !== null && mayRefresh(body, charset) ? findRefresh(decodeAs(body, charset)) : null);
    const target = refresh === null ? null : URL.parse(encodeQuery(refresh.address, charset), url.href);
    // browsers do not follow a refresh to a script or to data either
    const isWeb = target !== null && /^https?:$/.test(target.protocol);
    if (target !== null) target.hash = "";
    if (refresh === null || target === null || !isWeb || refresh.seconds > refreshMaxSeconds) {
      if (body.every(isSpace)) throw emptyDocument(nameUrl(url));
      return null;
    }
    if (target.href === url.href) {
      // a page that renews itself every few seconds is one to be read
      if (refresh.seconds > 0) return null;
      throw new AppError(
        "reload_loop",
        `The page ${nameUrl(url)} loads itself again and again. Some pages do this to visitors without cookies: fetch this site in the browser; the others have to be corrected at the server.`,
      );
    }
    this.redirects.push({ url: url.href, status });
    return followRedirect(url, target.href, this.redirects, this.request.checkRedirect);
  }

  private async takeBody(url: URL, body: EgressResponse["body"]): Promise<{ bytes: Buffer; unknown: string[] }> {
    const where = this.whereOf(url);
    const maxBytes = this.request.maxBytes ?? budgets.htmlMaxBytes;
    try {
      const { codings, unknown } = this.readCodings(where);
      const bytes = await readBody(body, {
        codings,
        maxBytes,
        announced: contentLength(this.headers),
        where,
        onWire: (count) => (this.bytesOnWire += count),
      });
      return { bytes, unknown };
    } catch (error) {
      if (!body.destroyed) body.destroy();
      throw error;
    }
  }

  private async streamBody(
    url: URL,
    body: EgressResponse["body"],
    take: NonNullable<PageRequest["take"]>,
  ): Promise<void> {
    const where = this.whereOf(url);
    try {
      const { codings } = this.readCodings(where);
      const maxBytes = this.request.maxBytes ?? budgets.htmlMaxBytes;
      await take(streamBody(body, { codings, maxBytes, where, onWire: (bytes) => (this.bytesOnWire += bytes) }), url);
    } finally {
      if (!body.destroyed) body.destroy();
    }
  }

  private readCodings(where: string): Codings {
    return readCodings(joinedHeader(this.headers, "content-encoding"), where);
  }

  private authorizationFor(url: URL): Record<string, string> | null {
    const { authorization } = this.request;
    return authorization != null && authorization.origin === url.origin ? lowerCaseNames(authorization.headers) : null;
  }

  /**
   * Whether the next request is conditional: the validators belong to the page itself, and a redirect target may use the
   * same ones for something else.
   */
  private isConditional(): boolean {
    return (
      this.mayAskConditionally &&
      this.redirects.length === 0 &&
      Object.keys(conditionalHeaders(this.request)).length > 0
    );
  }

  private trace() {
    const timings = { totalMs: performance.now() - this.startedAt, firstByteMs: this.firstByteMs };
    return {
      mode: "http" as const,
      finalUrl: this.url?.href ?? withoutCredentials(this.request.url),
      redirects: this.redirects,
      headers: this.headers,
      timings,
      bytesOnWire: this.bytesOnWire,
    };
  }

  private whereOf(url: URL): string {
    return `The page ${nameUrl(url)}`;
  }

  private where(): string {
    return this.url === null ? "the page" : nameUrl(this.url);
  }

  private describeTimeout(): AppError {
    const state =
      this.status === null
        ? "the server did not answer in that time"
        : `only ${this.bytesOnWire} bytes of the page had arrived by then`;
    return new AppError(
      "timed_out",
      `Loading ${this.where()} was stopped after ${this.deadlineMs / 1000} s: ${state}. Try again; if it happens every time, the server is too slow.`,
    );
  }
}

function variableHeaders({ accept, extraHeaders }: PageRequest): Record<string, string> {
  const headers: Record<string, string> = {
    accept: accept === "any" ? "*/*" : "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
    ...lowerCaseNames(extraHeaders ?? {}),
  };
  return headers;
}

function validatorsOf({ conditional }: PageRequest): { etag: string | null; lastModified: string | null } {
  return conditional ?? { etag: null, lastModified: null };
}

function conditionalHeaders(request: PageRequest): Record<string, string> {
  const { etag, lastModified } = validatorsOf(request);
  return {
    ...(etag === null ? {} : { "if-none-match": etag }),
    ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
  };
}

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
