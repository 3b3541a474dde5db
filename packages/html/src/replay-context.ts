import type { AssetKind } from "./asset-kind.js";

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
  /** Whether only the addresses are wanted: links, which name no asset, are left alone then. */
  isListing?: boolean;
}

/** Documents in documents, the outermost not counted. */
export const nestedDepthMax = 3;

/** An image address that needs no request and shows as a broken picture. */
export const missingImage = "data:,";
/** An address in CSS that is never fetched (CSS Values 4 §4.5). */
export const missingInCss = "about:invalid";
