import type { FetchModeUsed } from "@web-tester/contracts/entities/vocabulary";
import type { ErrorCode } from "@web-tester/contracts/errors";
import type { Visitor } from "./browser/visitor.js";
import type { SessionState } from "./session-state.js";
import type { Consent } from "@web-tester/platform/egress/address-policy";

/** What to load and under which conditions. */
export interface PageRequest {
  /** Absolute http: or https: URL without user name and password; a fragment is not sent. */
  url: string;
  /** Host and port of the test object's own URL (`consentFor`), which may be private; null where nobody consented. */
  consent: Consent | null;
  /** "html" (default) does not download what says it is something else; "any" takes every content type. */
  accept?: "html" | "any";
  /** Sent to exactly this origin (`URL.origin`), also after redirects, and to no other. */
  authorization?: { origin: string; headers: Record<string, string> } | null;
  /** From the headers of an earlier result; lets the server answer "not modified". Sent to `url` itself, not to where it redirects. */
  conditional?: { etag: string | null; lastModified: string | null } | null;
  /** Sent with every request of this load, to whatever origin: no secrets here. */
  extraHeaders?: Record<string, string>;
  /** Decoded bytes at most, default 10 MiB. */
  maxBytes?: number;
  /**
   * Takes the body of a good answer piece by piece as it arrives, content codings removed, instead of its being kept; for
   * `accept: "any"`. `maxBytes` then bounds what is on the wire. What it throws ends the load as `failed`.
   */
  take?: (pieces: AsyncIterable<Uint8Array>, address: URL) => Promise<void>;
  /** Total time for everything, redirects and slow bodies included, default 30 s. */
  deadlineMs?: number;
  /** HTTP loads only: asked when the time is over, for milliseconds more of it; 0 ends the load. Default: none are given. */
  moreTime?: (progress: LoadProgress) => number;
  /** Says why a redirect target is not to be followed (a sentence for a person), or null. */
  checkRedirect?: (target: URL) => string | null;
  /**
   * HTTP loads only: as a person would see it, for a page that is kept. A refresh to another address within 5 s is followed like a redirect, and
   * a page without anything in it fails as `empty_document`. Browser loads always do so.
   */
  asSeen?: boolean;
  /** Browser loads only: as whom the page is shown; default: the usual visitor. */
  visitor?: Visitor;
  /** Browser loads only: the page is shown to somebody who has signed in. */
  session?: SessionState | null;
  /** Browser loads only: addresses that are not loaded; `*` stands for anything. */
  blocked?: readonly string[];
  /** Browser loads only: CSS selectors of what is clicked away where it shows, before the page is kept. */
  dismiss?: readonly string[];
  /** Browser loads only: when the page counts as ready; default: when it is quiet. */
  ready?: ReadyRule;
  /**
   * Browser loads only: told of every sub-resource that the page asked for, as its answer is complete and before
   * `loadPage` resolves. At most two bodies are held at a time; a slow listener slows nothing but the end of the load.
   * A listener that rejects ends nothing.
   */
  onResource?: ResourceListener;
  /** Browser loads only: whether the bytes of a script are wanted too; default: none are. */
  wantsScript?: (url: string) => boolean;
}

/** How far a load has come. */
export interface LoadProgress {
  elapsedMs: number;
  /** Of the body, as it travels. */
  bytes: number;
  /** What the server said that the body will have; NaN where it said nothing. */
  announced: number;
}

/** When a page counts as ready: it is quiet, it shows an element (CSS selector), or so much time has passed since it loaded. */
export type ReadyRule =
  | { kind: "quiet" }
  | { kind: "selector"; selector: string }
  | {
      kind: "time";
      /** 0 … 30,000 */
      ms: number;
    };

export type ResourceListener = (resource: LoadedResource) => Promise<void> | void;

/** What came of one request that a page in the browser made for something beside itself. */
export interface LoadedResource {
  /** As the page asked for it; redirects lead to `finalUrl`. http: and https: only. */
  url: string;
  finalUrl: string;
  /** Chromium's word for what the page wanted it as: stylesheet, image, media, font, script, document (frames), xhr, fetch, manifest, other … */
  wantedAs: string;
  /** Of the last response; null where there was none. */
  status: number | null;
  /** As the server said it; with the charset UTF-8 where the browser gave the text of what came in another one. */
  contentType: string | null;
  /** Decoded bytes of an answer of 200…299 to a stylesheet, image, media, font, document, or script that is wanted; else null. */
  body: Buffer | null;
  /** Why there is no body, as a sentence for a person; null where there is one, or nobody wants it. */
  error: string | null;
}

/** One redirect that was followed or refused: the URL that answered, and its status. */
export interface RedirectHop {
  url: string;
  status: number;
}

/** What every result tells, whatever came of the load. */
interface Trace {
  /** How the page was loaded. */
  mode: FetchModeUsed;
  /** The URL of the last request made. */
  finalUrl: string;
  /** In the order they happened. */
  redirects: RedirectHop[];
  /** Of the last response, names in lower case; a header that came several times has a list. Empty where there was no response. */
  headers: Record<string, string | string[]>;
  timings: { totalMs: number; firstByteMs: number | null };
  /** Bytes of bodies as they travelled, content codings still applied. */
  bytesOnWire: number;
}

export interface LoadedPage extends Trace {
  kind: "page";
  /** 200…299 */
  status: number;
  /** Content codings removed, character set untouched. */
  body: Buffer;
  /** As the server said it; null where it said nothing. */
  contentType: string | null;
  /** The character set to decode `body` by (`decodeAs`), WHATWG name in lower case; null where the body is not HTML, which only `accept: "any"` lets in. */
  charset: string | null;
  /** The text that the server sent, in UTF-8 whatever it came in, where that was asked for of a browser, and came in time; null where the page led on to another one. */
  source?: Buffer | null;
  /** Beside `source`: whether scripts brought something into sight that the server sent. */
  reveals?: boolean;
  /** What was odd about a page that was loaded all the same (a wrong charset label, no bytes at all), as a sentence. */
  warning: string | null;
}

export interface NotModified extends Trace {
  kind: "not-modified";
  status: 304;
}

/** The server says that this is no HTML page; its body was not downloaded. */
interface NotHtml extends Trace {
  kind: "not-html";
  status: number;
  contentType: string;
}

export interface FailedLoad extends Trace {
  kind: "failed";
  code: ErrorCode;
  /** A sentence for a person: what happened, to what, and what to do next. Holds no credential. */
  message: string;
  /** Whether trying the same again later can help. */
  retryable: boolean;
  /** Of the last response; null where there was none. */
  status: number | null;
  /** How long the server asked to wait (Retry-After); null where it did not. */
  retryAfterMs: number | null;
}

/** How a load ends; nothing is thrown for what a site or the way to it got wrong. */
export type PageResult = LoadedPage | NotModified | NotHtml | FailedLoad;

export interface Loader {
  /** Never rejects for a fault of the site, the network or the caller's signal: those are `failed` results. */
  loadPage(request: PageRequest, signal: AbortSignal): Promise<PageResult>;
}
