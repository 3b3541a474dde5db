import type { AssetExtension } from "@web-tester/contracts/asset-types";

/** Stored bytes of an import, as the answer of an address at a time. */
export interface KeptAnswer {
  ms: number;
  /** SHA-256 in hex. */
  hash: string;
  contentType: string;
  extension: AssetExtension;
  charset: string;
  isPage: boolean;
  /** Whether it is longer than pages may be: then it can only be a file of other pages. */
  isTooLong: boolean;
}

/** The most answers in memory, at about 300 bytes each, and the most characters of their addresses and digests. */
const answersMax = 200_000;
const charsMax = 64 * 1024 ** 2;

/** The answers of a web archive by address and by digest, for pages that need them and for records that repeat one of them. */
export class KeptFiles {
  /** Each list is sorted by time: the nearest answer is looked up for every page, and a single address may have all of the answers. */
  private readonly byUrl = new Map<string, KeptAnswer[]>();
  private readonly byDigest = new Map<string, KeptAnswer>();
  private answers = 0;
  private chars = 0;

  /** Whether there is no answer that a page could need. */
  get isEmpty(): boolean {
    return this.answers === 0;
  }

  /**
   * Adds an answer.
   * @returns false where there are too many
   */
  add(url: string, digests: readonly string[], answer: KeptAnswer): boolean {
    const chars = [url, ...digests].reduce((sum, text) => sum + text.length, 0);
    if (this.answers >= answersMax || this.chars + chars > charsMax) return false;
    this.answers += 1;
    this.chars += chars;
    const known = this.byUrl.get(plain(url));
    if (known === undefined) this.byUrl.set(plain(url), [answer]);
    else known.splice(placeOf(known, answer.ms + 1), 0, answer);
    for (const digest of digests) this.byDigest.set(digest, answer);
    return true;
  }

  withDigest(digest: string): KeptAnswer | null {
    return this.byDigest.get(digest) ?? null;
  }

  /**
   * Finds the answer that is nearest in time: the earlier one of two at equal distance, and of several at the same time the one that
   * was added first.
   */
  nearest(url: string, ms: number): KeptAnswer | null {
    const found = this.byUrl.get(plain(url)) ?? [];
    const place = placeOf(found, ms);
    const [before, after] = [found[place - 1], found[place]];
    if (before === undefined || (after !== undefined && after.ms - ms < ms - before.ms)) return after ?? null;
    return found[placeOf(found, before.ms)] ?? null;
  }
}

/** The index of the first answer that is not before a time, in a list sorted by time (binary search). */
function placeOf(answers: readonly KeptAnswer[], ms: number): number {
  let [low, high] = [0, answers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((answers[middle]?.ms ?? Infinity) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function plain(url: string): string {
  const hash = url.indexOf("#");
  return hash === -1 ? url : url.slice(0, hash);
}
