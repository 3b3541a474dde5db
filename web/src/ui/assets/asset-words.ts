import type { SnapshotAsset } from "@web-tester/contracts/entities/snapshot";
import { type Label, t } from "../../texts/text.js";

export type AssetFilter = "all" | "stored" | "missing";

export interface AssetCounts {
  total: number;
  stored: number;
  missing: number;
  /** Size of the stored files, each content counted once. */
  bytes: number;
}

export function countAssets(assets: readonly SnapshotAsset[]): AssetCounts {
  const stored = assets.filter(({ local_path }) => local_path !== null);
  const sizes = new Map(stored.map(({ local_path, content_len }) => [local_path, content_len]));
  return {
    total: assets.length,
    stored: stored.length,
    missing: assets.length - stored.length,
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
  };
}

/** Filters files: missing ones come first, else in the order of the page; every word of the text must be in the address or the type. */
export function filterAssets(
  assets: readonly SnapshotAsset[],
  filter: AssetFilter,
  text: string,
): readonly SnapshotAsset[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = assets.filter((asset) => {
    const isMissing = asset.local_path === null;
    if (filter !== "all" && isMissing !== (filter === "missing")) return false;
    const searched = `${asset.url} ${assetType(asset)}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  return [...shown.filter(({ error }) => error !== null), ...shown.filter(({ error }) => error === null)];
}

/** Splits an address into its last part and what comes before it. */
export function assetName(address: string): { name: string; place: string } {
  const url = URL.parse(address);
  if (url === null) return { name: address, place: "" };
  const at = url.pathname.lastIndexOf("/") + 1;
  const name = url.pathname.slice(at) + url.search;
  return name === "" ? { name: url.pathname, place: url.host } : { name, place: url.host + url.pathname.slice(0, at) };
}

const kinds: Record<SnapshotAsset["kind"], Label> = {
  stylesheet: "Stylesheet",
  document: "Frame",
  sprite: "SVG sprite",
  image: "Image",
  font: "Font",
  media: "Media",
  icon: "Icon",
  script: "Script",
};

/** The file's kind on the page, and the content type that its server sent. */
export function assetType({ kind, content_type }: Pick<SnapshotAsset, "kind" | "content_type">): string {
  const essence = content_type.split(";", 1)[0]?.trim() ?? "";
  return essence === "" ? t(kinds[kind]) : `${t(kinds[kind])}, ${essence}`;
}
