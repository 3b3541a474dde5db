import { scanLinks } from "./scan-links.js";

/** What the head of a page says about it, as scanned; a field is null where it says nothing. */
export interface PageHead {
  title: string | null;
  canonical: string | null;
  robots: string | null;
}

/** The bytes of a head that are read. */
const headMaxBytes = 256 * 1024;

/**
 * Returns the heads of two pages where they differ; for nearly all pairs comparing their bytes is enough.
 * @param older, newer pages in UTF-8
 * @returns null where the bytes of both heads are equal
 */
export function differingHeads(older: Uint8Array, newer: Uint8Array): [older: PageHead, newer: PageHead] | null {
  const [one, other] = [headOf(older), headOf(newer)];
  return one.equals(other) ? null : [readHead(one), readHead(other)];
}

/** Returns the part of a page before its body, roughly: a word in a script may end it early, for both pages alike. */
function headOf(page: Uint8Array): Buffer {
  const start = Buffer.from(page.buffer, page.byteOffset, Math.min(page.byteLength, headMaxBytes));
  for (const end of ["</head", "</HEAD", "<body", "<BODY"]) {
    const at = start.indexOf(end);
    if (at !== -1) return start.subarray(0, at);
  }
  return start;
}

/** Returns a page's title. @param page in UTF-8 @returns null where its head has none */
export function titleOf(page: Uint8Array): string | null {
  return readHead(headOf(page)).title;
}

function readHead(head: Buffer): PageHead {
  const { title, canonical, robots } = scanLinks(head.toString("utf8"));
  return { title, canonical, robots };
}
