import { decodeHtml } from "@web-tester/html/decode";
import { decodeAs } from "@web-tester/html/decode-as";
import type { NestedDocument, ReplayContext } from "@web-tester/html/replay-context";
import { rewriteForReplay } from "@web-tester/html/rewrite-for-replay";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/db/database";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";
import { assetAddress } from "../rows/asset-address.js";
import { type AssetRow, selectAssets } from "../rows/select-assets.sql.js";
import type { WholeSnapshotRow } from "../rows/select-snapshots.sql.js";

interface Rendering {
  db: Database;
  store: ObjectStore;
  /** The API's token, which addresses are signed with; null where none is set. */
  token: string | null;
}

/** Nested documents and sprites of one page, in bytes, at most; what is beyond stays empty. */
const nestedMaxBytes = 20 * 1024 * 1024;

/**
 * A snapshot's page as HTML to be shown (`rewriteForReplay`).
 * @param preview SHA-256 in hex of a text in UTF-8 that takes the place of the stored one
 * @throws AppError not_found where nothing was fetched; content_missing, content_damaged, unavailable
 */
export async function renderSnapshot(
  row: WholeSnapshotRow,
  preview: string | undefined,
  rendering: Rendering,
): Promise<string> {
  const hash = preview ?? row.hash;
  if (hash === null)
    throw new AppError(
      "not_found",
      `Snapshot #${row.number} of ${row.instance_url} has no page to show: ${row.error ?? "it has not been fetched."}`,
    );
  const bytes = await rendering.store.read(Buffer.from(hash, "hex"));
  const html = decodeAs(bytes, preview === undefined ? row.charset : "utf-8");
  return rewriteForReplay(html, await contextOf(row, rendering));
}

async function contextOf(row: WholeSnapshotRow, { db, store, token }: Rendering): Promise<ReplayContext> {
  const assets = new Map((await selectAssets(db, row.id)).map((asset) => [asset.url, asset]));
  const texts = await readNested([...assets.values()], store);
  const addressOf = (url: string): string | null => {
    const asset = assets.get(url);
    return asset === undefined ? null : assetAddress(asset, token);
  };
  return {
    baseUrl: row.final_url ?? row.instance_url,
    noscript: row.fetch_mode_used === "browser" ? "hide" : "show",
    address: addressOf,
    document: (url) => nestedDocument(assets.get(url), texts, addressOf(url)),
    sprite: (url) => {
      const asset = assets.get(url);
      return asset?.extension === "svg" ? (texts.get(asset.id) ?? null) : null;
    },
  };
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
async function readNested(assets: readonly AssetRow[], store: ObjectStore): Promise<Map<string, string>> {
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
