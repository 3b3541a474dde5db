import type { AssetKind } from "../links/asset-kind.js";
import type { ReplayContext } from "./replay-context.js";
import { rewriteCss, rewriteForReplay } from "./rewrite-for-replay.js";

/** A file that a page or stylesheet needs. `url`: absolute, without fragment. */
export interface ListedAsset {
  url: string;
  kind: AssetKind;
}

/**
 * What a page needs to look right, each file once, in the order of the page: found by the very rules that `rewriteForReplay`
 * replaces addresses by, so that nothing is replaced that was not looked for.
 * @param baseUrl where the page was loaded from
 * @param noscript as the page will be shown
 */
export function listPageAssets(html: string, baseUrl: string, noscript: ReplayContext["noscript"]): ListedAsset[] {
  const found = new Found();
  rewriteForReplay(html, {
    baseUrl,
    noscript,
    isListing: true,
    address: (url, kind) => found.add(url, kind),
    document: (url) => found.add(url, "document"),
    sprite: (url) => found.add(url, "sprite"),
  });
  return found.list();
}

/** The same for a stylesheet. */
export function listCssAssets(css: string, baseUrl: string): ListedAsset[] {
  const found = new Found();
  rewriteCss(css, { baseUrl, address: (url, kind) => found.add(url, kind) });
  return found.list();
}

class Found {
  readonly #kinds = new Map<string, AssetKind>();

  add(url: string, kind: AssetKind): null {
    const known = this.#kinds.get(url);
    // one file for two purposes is looked into if one of them asks for it
    if (known === undefined || (isLookedInto(kind) && !isLookedInto(known))) this.#kinds.set(url, kind);
    return null;
  }

  list(): ListedAsset[] {
    return [...this.#kinds].filter(([url, kind]) => !isUnused(url, kind)).map(([url, kind]) => ({ url, kind }));
  }
}

function isLookedInto(kind: AssetKind): boolean {
  return kind === "stylesheet" || kind === "document" || kind === "sprite";
}

/** Fonts in formats that no browser of today takes. */
function isUnused(url: string, kind: AssetKind): boolean {
  return kind === "font" && /\.eot(?:\?|$)/i.test(url);
}
