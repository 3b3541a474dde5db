import { decodeCss } from "@web-tester/html/decode-css";
import { decodeHtml } from "@web-tester/html/decode";
import type { NestedDocument, ReplayContext } from "@web-tester/html/replay-context";
import { rewriteCss, rewriteForReplay } from "@web-tester/html/rewrite-for-replay";
import type { ObjectStore } from "../storage/object-store.js";
import type { AssetRow } from "./select-assets.sql.js";

/** What a stored page is shown with. */
export interface ReplayAssets {
  store: ObjectStore;
  /** All files of the snapshot. */
  assets: readonly AssetRow[];
  /** `hide` where a browser loaded the page: what it shows without scripts would be shown twice. */
  noscript: ReplayContext["noscript"];
  /** Where a browser gets a file; null where it is missing. */
  address(asset: AssetRow): string | null;
}

/** Nested documents and sprites of one page, in bytes, at most; what is beyond stays empty. */
const nestedMaxBytes = 20 * 1024 * 1024;

/**
 * A page as HTML to be shown (`rewriteForReplay`) with the stored copies of its files.
 * @param baseUrl where the page was found
 * @throws AppError content_missing, content_damaged, unavailable
 */
export async function replayPage(html: string, baseUrl: string, replay: ReplayAssets): Promise<string> {
  const assets = new Map(replay.assets.map((asset) => [asset.url, asset]));
  const texts = await readNested(replay);
  const addressOf = (url: string): string | null => {
    const asset = assets.get(url);
    return asset === undefined ? null : replay.address(asset);
  };
  const context: ReplayContext = {
    baseUrl,
    noscript: replay.noscript,
    address: addressOf,
    document: (url) => nestedDocument(assets.get(url), texts, addressOf(url)),
    sprite: (url) => {
      const asset = assets.get(url);
      return asset?.extension === "svg" ? (texts.get(asset.id) ?? null) : null;
    },
  };
  return rewriteForReplay(html, context);
}

/** A stored stylesheet that names the stored copies of what it needs. */
export function replayStylesheet(
  bytes: Buffer,
  row: AssetRow,
  replay: Pick<ReplayAssets, "assets" | "address">,
): string {
  const siblings = new Map(replay.assets.map((asset) => [asset.url, asset]));
  return rewriteCss(decodeCss(bytes, row.content_type), {
    baseUrl: row.base_url ?? row.url,
    address: (url) => {
      const asset = siblings.get(url);
      return asset === undefined ? null : replay.address(asset);
    },
  });
}

function nestedDocument(
  asset: AssetRow | undefined,
  texts: ReadonlyMap<string, string>,
  address: string | null,
): NestedDocument | null {
  if (asset === undefined || address === null) return null;
  const html = texts.get(asset.id);
  if (asset.extension === "html") return html === undefined ? null : { html, baseUrl: asset.base_url ?? asset.url };
  const isPicture = /^(?:png|jpg|gif|webp|avif|bmp|ico|svg)$/.test(asset.extension);
  return isPicture
    ? { markup: `<!doctype html><body style="margin:0"><img src="${address.replaceAll("&", "&amp;")}" alt="">` }
    : null;
}

/** The text of nested documents and sprites, by id of the asset. */
async function readNested({ assets, store }: ReplayAssets): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  let bytes = 0;
  for (const { id, hash, kind, extension, bytes: size, content_type } of assets) {
    const isWanted = (kind === "document" && extension === "html") || (kind === "sprite" && extension === "svg");
    if (hash === null || !isWanted || bytes + size > nestedMaxBytes) continue;
    bytes += size;
    texts.set(
      id,
      decodeHtml(await store.read(Buffer.from(hash, "hex")), content_type === "" ? null : content_type).text,
    );
  }
  return texts;
}
