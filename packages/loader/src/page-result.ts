import type { FetchModeUsed } from "@web-tester/contracts/entities/vocabulary";
import type { ErrorCode } from "@web-tester/contracts/errors";
import type { Visitor } from "./browser/visitor.js";
import type { SessionState } from "./session-state.js";
import type { Consent } from "@web-tester/platform/egress/address-policy";

/** What to load, and under which conditions. */
export interface PageRequest {
  /** Absolute http: or https: URL without user name and password; a fragment is not sent. */
  url: string;
  /** Host and port of the test object's own URL (`consentFor`), which may be private; null where nobody consented. */
  consent: Consent | null;
  /** "html" (default) does not download other declared content types; "any" takes every content type. */
  accept?: "html" | "any";
  /** Headers that are sent to exactly this origin (`URL.origin`), also after redirects, and to no other. */
  authorization?: { origin: string; headers: Record<string, string> } | null;
  /**
   * Validators from the headers of an earlier result; they let the server answer "not modified". Sent to `url` itself, not
   * to redirect targets.
   */
  conditional?: { etag: string | null; lastModified: string | null } | null;
  /** Headers for every request of this load, to whatever origin: no secrets here. */
  extraHeaders?: Record<string, string>;
  /**
   * HTTP loads only: what the file is wanted for where an answer that refuses it (status 400 and above, not those that a retry may help) is shown nevertheless: browsers show
   * pictures and the documents of frames whatever the status is. It then comes as `refused`.
   */
  showsRefused?: "image" | "document" | undefined;
  /** The most decoded bytes, default 10 MiB. */
  maxBytes?: number;
  /**
   * Receives the body of a good answer piece by piece as it arrives, content codings removed, so that it is not kept; for
   * `accept: "any"`. `maxBytes` then limits the bytes on the wire. An error that it throws ends the load as `failed`.
   */
  take?: (pieces: AsyncIterable<Uint8Array>, address: URL) => Promise<void>;
  /** Total time for everything, redirects and slow bodies included, default 30 s. */
  deadlineMs?: number;
  /**
   * HTTP loads only: called when the time is over; returns the milliseconds to add, 0 to end the load. Default: none are added.
   */
  moreTime?: (progress: LoadProgress) => number;
  /** Returns why a redirect target is not to be followed (a sentence for a person), or null. */
  checkRedirect?: (target: URL) => string | null;
  /**
   * HTTP loads only: load the page as a person would see it, for one that is kept. A refresh to another address within 5 s
   * is followed like a redirect, and a page without any content fails as `empty_document`. Browser loads always do so.
   */
  asSeen?: boolean;
  /** Browser loads only: the visitor that the page is shown to; default: the usual visitor. */
  visitor?: Visitor;
  /** Browser loads only: the session of somebody who has signed in. */
  session?: SessionState | null;
  /** Browser loads only: addresses that are not loaded; `*` stands for anything. */
  blocked?: readonly string[];
  /** Browser loads only: CSS selectors of elements that are clicked away where they are visible, before the page is kept. */
  dismiss?: readonly string[];
  /** Browser loads only: when the page counts as ready; default: when it is quiet. */
  ready?: ReadyRule;
  /**
   * Browser loads only: called with every sub-resource that the page requested, when its answer is complete and before
   * `loadPage` resolves. At most two bodies are held at a time; a slow listener delays nothing but the end of the load. A
   * listener that rejects ends nothing.
   */
  onResource?: ResourceListener;
  /** Browser loads only: whether the bytes of a script are wanted too; default: none are. */
  wantsScript?: (url: string) => boolean;
}

/** The progress of a load. */
export interface LoadProgress {
  elapsedMs: number;
  /** The bytes of the body on the wire so far. */
  bytes: number;
  /** The announced length of the body; NaN where the server announced none. */
  announced: number;
}

/** When a page counts as ready: it is quiet, an element (CSS selector) is there, or some time has passed since it loaded. */
export type ReadyRule =
  | { kind: "quiet" }
  | { kind: "selector"; selector: string }
  | {
      kind: "time";
      /** 0 … 30,000 */
      ms: number;
    };

export type ResourceListener = (resource: LoadedResource) => Promise<void> | void;

/** The result of one request that a page in the browser made for something other than itself. */
export interface LoadedResource {
  /** The address as the page asked for it; redirects lead to `finalUrl`. http: and https: only. */
  url: string;
  finalUrl: string;
  /**
   * Chromium's name for the purpose of the request: stylesheet, image, media, font, script, document (frames), xhr, fetch,
   * manifest, other …
   */
  wantedAs: string;
  /** The status of the last response; null where there was none. */
  status: number | null;
  /** As the server said it; with the charset UTF-8 where the browser gave the text of what came in another one. */
  contentType: string | null;
  /**
   * The decoded bytes of a successful answer (200…299) for a stylesheet, image, media, font, document, or wanted script, and of an image or
   * document that came with another status, as browsers show it; else null.
   */
  body: Buffer | null;
  /** Why there is no body, or one that came with an error, as a sentence for a person; null where nothing is wrong, or none is wanted. */
  error: string | null;
}

/** One redirect that was followed or refused: the URL that answered, and its status. */
export interface RedirectHop {
  url: string;
  status: number;
}

/** What every result contains, however the load ended. */
interface Trace {
  /** How the page was loaded. */
  mode: FetchModeUsed;
  /** The URL of the last request made. */
  finalUrl: string;
  /** In the order in which they happened. */
  redirects: RedirectHop[];
  /**
   * The headers of the last response, names in lower case; a header that came several times has a list. Empty where there
   * was no response.
   */
  headers: Record<string, string | string[]>;
  timings: { totalMs: number; firstByteMs: number | null };
  /** The bytes of bodies on the wire, content codings still applied. */
  bytesOnWire: number;
}

export interface LoadedPage extends Trace {
  kind: "page";
  /** 200…299 */
  status: number;
  /** Content codings removed, character set untouched. */
  body: Buffer;
  /** The Content-Type as the server sent it; null where there was none. */
  contentType: string | null;
  /**
   * The character set to decode `body` by (`decodeAs`), WHATWG name in lower case; null where the body is not HTML, which
   * only `accept: "any"` allows.
   */
  charset: string | null;
  /** The text that the server sent, in UTF-8 whatever it came in, where that was asked for of a browser, and came in time; null where the page led on to another one. */
  source?: Buffer | null;
  /** With `source`: whether scripts made visible something that the server sent. */
  reveals?: boolean;
  /** A sentence about what was odd about a page that was loaded all the same (a wrong charset label, no bytes at all). */
  warning: string | null;
}

export interface NotModified extends Trace {
  kind: "not-modified";
  status: 304;
}

/** The server declares that this is no HTML page; its body was not downloaded. */
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
  /** Whether a retry later can help. */
  retryable: boolean;
  /** The status of the last response; null where there was none. */
  status: number | null;
  /** How long the server asked to wait (Retry-After); null where it did not. */
  retryAfterMs: number | null;
  /** With `showsRefused`: what browsers show of the answer. */
  refused?: RefusedFile | undefined;
}

/** The picture or document that came with the status of an error. */
export interface RefusedFile {
  body: Buffer;
  contentType: string;
}

/** How a load ends; nothing is thrown for faults of a site or the network. */
export type PageResult = LoadedPage | NotModified | NotHtml | FailedLoad;

export interface Loader {
  /** Never rejects for a fault of the site, the network or the caller's signal: those are `failed` results. */
  loadPage(request: PageRequest, signal: AbortSignal): Promise<PageResult>;
}
