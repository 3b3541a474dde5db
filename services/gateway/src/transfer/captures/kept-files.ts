import type { AssetExtension } from "@web-tester/contracts/asset-types";

/** Bytes that an import holds, as an answer from an address at a time. */
export interface KeptAnswer {
  ms: number;
  /** Hex. */
  hash: string;
  contentType: string;
  extension: AssetExtension;
  charset: string;
  isPage: boolean;
  /** It has more bytes than a page is kept with: it is only a file of others. */
  isTooLong: boolean;
}

/** Some 300 bytes each. */
const answersMax = 200_000;

/** The answers of a web archive by address and by digest, for pages that need them and records that are the same as one of them. */
export class KeptFiles {
  /** Each list by time: what is nearest is looked up for every page, and an address may have as many answers as there can be. */
  private readonly byUrl = new Map<string, KeptAnswer[]>();
  private readonly byDigest = new Map<string, KeptAnswer>();
  private answers = 0;

  /** Whether there is any that a page could need. */
  get isEmpty(): boolean {
    return this.answers === 0;
  }

  /** @returns false where there are too many */
  add(url: string, digests: readonly string[], answer: KeptAnswer): boolean {
    if (this.answers >= answersMax) return false;
    this.answers += 1;
    const known = this.byUrl.get(plain(url));
    if (known === undefined) this.byUrl.set(plain(url), [answer]);
    else known.splice(placeOf(known, answer.ms + 1), 0, answer);
    for (const digest of digests) this.byDigest.set(digest, answer);
    return true;
  }

  withDigest(digest: string): KeptAnswer | null {
    return this.byDigest.get(digest) ?? null;
  }

  /** The answer that is nearest in time, the earlier one of two; of those of one moment the first that was added. */
  nearest(url: string, ms: number): KeptAnswer | null {
    const found = this.byUrl.get(plain(url)) ?? [];
    const place = placeOf(found, ms);
    const [before, after] = [found[place - 1], found[place]];
    if (before === undefined || (after !== undefined && after.ms - ms < ms - before.ms)) return after ?? null;
    return found[placeOf(found, before.ms)] ?? null;
  }
}

/** Where the first answer stands that is not before a time, in a list by time. */
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
