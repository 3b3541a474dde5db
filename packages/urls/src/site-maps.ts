/** Addresses in the folder `from` are read as if they were in the folder `to`; without a path both are whole sites. */
export interface AddressMap {
  from: string;
  to: string;
}

export interface SiteMaps {
  /** For single addresses of the older site: files, redirects, policies. */
  address: AddressMap;
  /** For documents of the older site. */
  older: AddressMap;
  /** For documents of the newer site; undefined: they are read as they are. */
  newer: AddressMap | undefined;
}

/**
 * How addresses of one site are read in a comparison with another, whose pages are matched by their path below the folder of each. Where
 * the older site lies at the root of its host, nothing in `href="/x"` says that it belongs to the folder of the other site; but the other
 * site's own `/preview/x` does, so that this is read as `/x`. Undefined for sites of one host: pages of two versions there link to both.
 */
export function siteMapsOf(olderUrl: string, newerUrl: string): SiteMaps | undefined {
  const [older, newer] = [new URL(olderUrl), new URL(newerUrl)];
  if (older.origin === newer.origin) return undefined;
  const [from, to] = [folderOf(older), folderOf(newer)];
  if (from === to) {
    const map = { from: older.origin, to: newer.origin };
    return { address: map, older: map, newer: undefined };
  }
  const address = { from: `${older.origin}${from}`, to: `${newer.origin}${to}` };
  if (from !== "/") return { address, older: address, newer: undefined };
  return {
    address,
    older: { from: older.origin, to: newer.origin },
    newer: { from: `${newer.origin}${to}`, to: `${newer.origin}/` },
  };
}

const folderOf = ({ pathname }: URL): string => pathname.slice(0, pathname.lastIndexOf("/") + 1);
