/**
 * The links of a page. They are stored for every page of a crawl, so they must be small: an address is a number of 52 bits, and the pages
 * of one batch share a table of the numbers of their links.
 */
interface CarriedLinks {
  pageId: string;
  /** Keys of addresses, repetitions allowed. */
  keys: readonly number[];
}

/** A batch of pages. Bit n of a mask stands for the page at position n of `pageIds`. */
interface PackedLinks {
  pageIds: string[];
  /** Entries of equal size: a key in eight bytes, followed by one bit per page. */
  links: Buffer;
}

const keyBytes = 8;

/**
 * Hashes a canonical address to a number from 1 to 2^52. The probability that any two of 100,000 addresses collide is about one in a
 * million; the price is one page too many in the list of pages that link to a broken one.
 */
export function linkKey(url: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < url.length; at += 1) {
    const code = url.charCodeAt(at);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return 1 + (b >>> 12) * 0x1_0000_0000 + (a >>> 0);
}

/** Packs the links of a batch of pages. @returns null when no page has a link */
export function packLinks(pages: readonly CarriedLinks[]): PackedLinks | null {
  const carrying = pages.filter(({ keys }) => keys.length > 0);
  if (carrying.length === 0) return null;
  const maskBytes = Math.ceil(carrying.length / 8);
  const entryBytes = keyBytes + maskBytes;
  const places = new Map<number, number>();
  const links = Buffer.alloc(
    Math.max(
      1,
      carrying.reduce((sum, { keys }) => sum + keys.length, 0),
    ) * entryBytes,
  );
  carrying.forEach(({ keys }, index) => {
    const byte = keyBytes + (index >> 3);
    const bit = 1 << (index & 7);
    for (const key of keys) {
      let place = places.get(key);
      if (place === undefined) {
        place = places.size * entryBytes;
        places.set(key, place);
        links.writeDoubleLE(key, place);
      }
      links[place + byte] = (links[place + byte] ?? 0) | bit;
    }
  });
  return { pageIds: carrying.map(({ pageId }) => pageId), links: links.subarray(0, places.size * entryBytes) };
}

/** Calls `found` for every page of the batch that has one of the wanted keys. */
export function eachReferrer(
  { pageIds, links }: PackedLinks,
  wanted: { has(key: number): boolean },
  found: (key: number, pageId: string) => void,
): void {
  const entryBytes = keyBytes + Math.ceil(pageIds.length / 8);
  for (let place = 0; place + entryBytes <= links.length; place += entryBytes) {
    const key = links.readDoubleLE(place);
    if (!wanted.has(key)) continue;
    pageIds.forEach((pageId, index) => {
      if (((links[place + keyBytes + (index >> 3)] ?? 0) & (1 << (index & 7))) !== 0) found(key, pageId);
    });
  }
}
