import type { AssetKind } from "../links/asset-kind.js";
import type { ReplayContext } from "./replay-context.js";
import { rewriteCss, rewriteForReplay } from "./rewrite-for-replay.js";

/** A file that a page or stylesheet needs. `url`: absolute, without fragment. */
export interface ListedAsset {
  url: string;
  kind: AssetKind;
  /** Digests that a page names the stylesheet by; browsers apply no other. */
  integrity?: string;
}

/**
 * Lists the files that a page needs to look right, each once, in the order of the page. They are found by the same rules
 * by which `rewriteForReplay` replaces addresses, so that every address that is replaced was looked for.
 * @param baseUrl the address that the page was loaded from
 * @param noscript as the page will be shown
 * @param most the reading ends with so many files, or with twenty times as many addresses that name the same ones: a page of 2 MiB can name
 * 130,000, which takes 0.7 s
 */
export function listPageAssets(
  html: string,
  baseUrl: string,
  noscript: ReplayContext["noscript"],
  most = Infinity,
): ListedAsset[] {
  const found = new Found(most);
  return found.in(() =>
    rewriteForReplay(html, {
      baseUrl,
      noscript,
      isListing: true,
      address: (url, kind, integrity) => found.add(url, kind, integrity),
      document: (url) => found.add(url, "document"),
      sprite: (url) => found.add(url, "sprite"),
    }),
  );
}

/** Lists the files that a stylesheet needs. @param most as for `listPageAssets` */
export function listCssAssets(css: string, baseUrl: string, most = Infinity): ListedAsset[] {
  const found = new Found(most);
  return found.in(() => rewriteCss(css, { baseUrl, address: (url, kind) => found.add(url, kind) }));
}

/** Thrown to end the reading of a document in the middle. */
const enough = new Error("enough files were found");
const addressesForOneFile = 20;
/** Ten of the longest digests; longer lists are not looked at. */
const integrityMaxChars = 1_000;

class Found {
  readonly #kinds = new Map<string, AssetKind>();
  readonly #integrity = new Map<string, string | null>();
  #left: number;

  constructor(private readonly most: number) {
    this.#left = most * addressesForOneFile;
  }

  /** Lists what `read` finds. */
  in(read: () => unknown): ListedAsset[] {
    try {
      read();
    } catch (error) {
      if (error !== enough) throw error;
    }
    return this.#list();
  }

  add(url: string, kind: AssetKind, integrity?: string): null {
    const known = this.#kinds.get(url);
    if (this.#left-- <= 0 || (known === undefined && this.#kinds.size >= this.most)) throw enough;
    // a file with two purposes is searched if one of them requires it
    if (known === undefined || (isLookedInto(kind) && !isLookedInto(known))) this.#kinds.set(url, kind);
    if (kind === "stylesheet") this.#nameBy(url, integrity);
    return null;
  }

  /** What a link without digests applies is needed, whatever another one names. A hint, which has an empty one, applies nothing. */
  #nameBy(url: string, integrity: string | undefined): void {
    if (integrity === undefined || integrity.length > integrityMaxChars) this.#integrity.set(url, null);
    else if (!this.#integrity.has(url) || this.#integrity.get(url) === "") this.#integrity.set(url, integrity);
  }

  #list(): ListedAsset[] {
    const needed = [...this.#kinds].filter(([url, kind]) => !isUnused(url, kind));
    return needed.map(([url, kind]) => {
      const integrity = this.#integrity.get(url) ?? "";
      return integrity === "" ? { url, kind } : { url, kind, integrity };
    });
  }
}

function isLookedInto(kind: AssetKind): boolean {
  return kind === "stylesheet" || kind === "document" || kind === "sprite";
}

/** Whether a file is a font in a format that no present browser uses. */
function isUnused(url: string, kind: AssetKind): boolean {
  return kind === "font" && /\.eot(?:\?|$)/i.test(url);
}
