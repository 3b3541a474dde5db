import { budgets } from "@web-tester/contracts/limits";

/** Recognises addresses that only a trap generates, from what it has seen of one crawl. */
export interface TrapDetector {
  /** Says why an address is most likely one of endlessly many without content of their own; null where it may be a page. */
  trapOf(url: URL): string | null;
}

const sameSegmentMax = 3;
const sameNameMax = 3;
/** Paths whose query variants are counted, per crawl and process. */
const pathsMax = 50_000;

/**
 * Creates a detector of these traps: path segments that repeat (`/a/b/a/b/a/b`), one parameter many times, the same
 * parameters in another order, and thousands of variants of three or more parameters on one path. Calendars and counters
 * are left to the depth and page budgets.
 */
export function createTrapDetector(): TrapDetector {
  const orders = new Map<string, string>();
  const variants = new Map<string, number>();

  return {
    trapOf(url) {
      if (repeatsSegments(url.pathname)) return "Its path repeats itself.";
      if (url.search === "" || !url.search.includes("&")) return null;
      const parts = url.search.slice(1).split("&");
      if (repeatsNames(parts)) return "Its query repeats one parameter.";
      const place = url.origin + url.pathname;
      const sorted = `${place}?${parts.toSorted().join("&")}`;
      const first = orders.get(sorted);
      if (first !== undefined)
        return first === url.search ? null : "It is another page's address with the parameters in another order.";
      if (parts.length >= 3) {
        const count = (variants.get(place) ?? 0) + 1;
        if (count > budgets.queryVariantsMax) return "Its path has thousands of combinations of parameters.";
        if (variants.size < pathsMax) variants.set(place, count);
      }
      if (orders.size < pathsMax) orders.set(sorted, url.search);
      return null;
    },
  };
}

/**
 * Whether a segment comes four times in a row, a group of two to four segments three times in a row, or one segment more
 * than six times in all.
 */
function repeatsSegments(pathname: string): boolean {
  const segments = pathname.split("/").filter((segment) => segment !== "");
  if (segments.length <= sameSegmentMax) return false;
  const counts = new Map<string, number>();
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > sameSegmentMax * 2) return true;
    counts.set(segment, count);
  }
  for (let size = 1; size <= 4; size += 1) {
    let run = 0;
    for (let at = size; at < segments.length; at += 1) {
      run = segments[at] === segments[at - size] ? run + 1 : 0;
      if (run >= size * (size === 1 ? sameSegmentMax : sameSegmentMax - 1)) return true;
    }
  }
  return false;
}

function repeatsNames(parts: readonly string[]): boolean {
  const counts = new Map<string, number>();
  for (const part of parts) {
    const [name = ""] = part.split("=", 1);
    // lists are written with brackets: `tag[]=a&tag[]=b`
    if (name.endsWith("]") || name.endsWith("%5D")) continue;
    const count = (counts.get(name) ?? 0) + 1;
    if (count > sameNameMax) return true;
    counts.set(name, count);
  }
  return false;
}
