import type { AssetKind } from "../links/asset-kind.js";
import type { ShownWindow } from "./css-length.js";

/** A nested document to be shown in an `iframe`: a page of its own, or markup that is ready to be shown. */
export type NestedDocument = { html: string; baseUrl: string } | { markup: string };

/** What is known of the assets of a page that is rewritten. Addresses are absolute and carry no fragment. */
export interface ReplayContext {
  /** Where the page was loaded from: what its addresses are relative to. */
  baseUrl: string;
  /** Where the stored asset is served, without fragment; null where it is missing. */
  address(url: string, kind: AssetKind): string | null;
  /** The document of a frame; null where it is missing. */
  document(url: string): NestedDocument | null;
  /** The text of an SVG file that `use` elements take parts of; null where it is missing. */
  sprite(url: string): string | null;
  /** `hide`: the page is what scripts made of it, so that what it shows without scripts would be shown twice. */
  noscript: "show" | "hide";
  /** The window that pictures are chosen for; left out: whoever shows the page chooses. */
  window?: ShownWindow | undefined;
  /** Policies that the server sent with the page (`sentPolicies`); left out: none, and those in the page do not count either, as what they refused is gone already. */
  policies?: readonly string[] | undefined;
  /** Whether only the addresses are wanted: links, which name no asset, are left alone then. */
  isListing?: boolean;
}

/** Documents in documents, the outermost not counted. */
export const nestedDepthMax = 3;

/** An image address that needs no request and shows as a broken picture. */
export const missingImage = "data:,";
/** An address in CSS that is never fetched (CSS Values 4 §4.5). */
export const missingInCss = "about:invalid";

/** What an element's rules may ask of the page it is in. */
export interface ReplayPage {
  isListing: boolean;
  window: ShownWindow | null;
  /** The address to write for an asset: stored, data or local; null where it is missing. */
  asset(written: string, kind: AssetKind): string | null;
  /** A link's address made absolute; null where it is none that a browser would go to. */
  link(written: string): string | null;
  css(text: string): string;
  /** The text of a stylesheet that stands in its own address; null where the address is another one. */
  dataSheet(written: string): string | null;
  /** The text of a frame, made when it is needed; null where the document is missing. */
  frame(written: string): (() => string) | null;
  /**
   * The text of a `srcdoc` rewritten; null where documents are nested too deeply.
   * @param isOfAddress whether it is what scripts made of a document that has an address
   */
  inlineFrame(html: string, isOfAddress: boolean): (() => string) | null;
  /** The local address of a part of another SVG file; null where it is missing. */
  sprite(written: string): string | null;
}
