/** Units that are compared as whole strings, which engines do with vector instructions, before single units are. */
const STRETCH = 4096;

/** Returns the length in UTF-16 units of the common beginning of `a` from `aAt` and `b` from `bAt`, at most `limit`. */
export function commonPrefix(a: string, aAt: number, b: string, bAt: number, limit: number): number {
  let length = 0;
  while (
    length + STRETCH <= limit &&
    a.slice(aAt + length, aAt + length + STRETCH) === b.slice(bAt + length, bAt + length + STRETCH)
  )
    length += STRETCH;
  while (length < limit && a.charCodeAt(aAt + length) === b.charCodeAt(bAt + length)) length++;
  return length;
}

/** Returns the length in UTF-16 units of the common end of `a` before `aEnd` and `b` before `bEnd`, at most `limit`. */
export function commonSuffix(a: string, aEnd: number, b: string, bEnd: number, limit: number): number {
  let length = 0;
  while (
    length + STRETCH <= limit &&
    a.slice(aEnd - length - STRETCH, aEnd - length) === b.slice(bEnd - length - STRETCH, bEnd - length)
  )
    length += STRETCH;
  while (length < limit && a.charCodeAt(aEnd - length - 1) === b.charCodeAt(bEnd - length - 1)) length++;
  return length;
}
