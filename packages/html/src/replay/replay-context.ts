import type { AssetKind } from "../links/asset-kind.js";
import type { ShownWindow } from "./css-length.js";

/** A nested document to be shown in an `iframe`: a page of its own, or finished markup. */
export type NestedDocument = { html: string; baseUrl: string } | { markup: string };

/** What is known about the assets of a page that is rewritten. Addresses are absolute and have no fragment. */
export interface ReplayContext {
  /** The address that the page was loaded from: its relative addresses are resolved against it. */
  baseUrl: string;
  /**
   * Returns where the stored asset is served, without fragment; null where it is missing.
   * @param integrity of the link that names it
   */
  address(url: string, kind: AssetKind, integrity?: string): string | null;
  /** Whether a file came with the status of an error: `object` shows nothing of it, unlike other elements. Left out: none did. */
  isRefused?(url: string): boolean;
  /** Returns the document of a frame; null where it is missing. */
  document(url: string): NestedDocument | null;
  /** Returns the text of an SVG file that `use` elements take parts of; null where it is missing. */
  sprite(url: string): string | null;
  /** `hide` where the page is what scripts made of it, so that its content for readers without scripts would be a second copy. */
  noscript: "show" | "hide";
  /** Whether it is in a frame whose `sandbox` let no script run: its content for readers without scripts was seen. Left out: scripts ran. */
  isStill?: boolean | undefined;
  /** The window that pictures are chosen for; without it, the browser that shows the page chooses. */
  window?: ShownWindow | undefined;
  /**
   * Policies that the server sent with the page (`sentPolicies`), which files must pass, and inline styles too, unless a browser loaded the page
   * (`noscript` says `hide`): what they refused is gone then. Left out: nothing is checked, by policies in the page neither.
   */
  policies?: readonly string[] | undefined;
  /** The address of the document that the policies are of, where it is another one than `baseUrl`. */
  self?: string | undefined;
  /** Whether only the addresses are wanted: links, which name no asset, are left alone then. */
  isListing?: boolean;
}

/** The deepest nesting of documents, the outermost not counted. */
export const nestedDepthMax = 3;

/** An image address that needs no request and shows as a broken picture. */
export const missingImage = "data:,";
/** An address in CSS that is never fetched (CSS Values 4 §4.5). */
export const missingInCss = "about:invalid";

/** What the rules of an element may ask of their page. */
export interface ReplayPage {
  isListing: boolean;
  window: ShownWindow | null;
  /** Returns the address to write for an asset: stored, data or local; null where it is missing. */
  asset(written: string, kind: AssetKind, integrity?: string): string | null;
  /** Whether a file came with the status of an error. */
  isRefused(written: string): boolean;
  /** Returns a link's absolute address; null where it is none that a browser would navigate to. */
  link(written: string): string | null;
  css(text: string): string;
  /** Returns the text of a stylesheet in a `data:` address; null for other addresses. */
  dataSheet(written: string): string | null;
  /**
   * Returns a function that makes the text of a frame; null where the document is missing.
   * @param isStill whether no script could run in it
   */
  frame(written: string, isStill: boolean): (() => string) | null;
  /**
   * The text of a `srcdoc` rewritten; null where documents are nested too deeply.
   * @param isOfAddress whether it is what scripts made of a document that has an address
   * @param isStill whether no script could run in it
   */
  inlineFrame(html: string, isOfAddress: boolean, isStill: boolean): (() => string) | null;
  /** The local address of a part of another SVG file; null where it is missing. */
  sprite(written: string): string | null;
}
