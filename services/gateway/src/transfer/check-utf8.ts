import { isUtf8 } from "node:buffer";

/** Checks that chunks together are UTF-8; a character may be split between two chunks. */
export function checkUtf8(): { push(chunk: Uint8Array): boolean; end(): boolean } {
  let rest: Uint8Array = new Uint8Array();
  return {
    push(chunk) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = bytes.length - cutOff(bytes);
      rest = bytes.slice(whole);
      return isUtf8(bytes.subarray(0, whole));
    },
    end: () => rest.length === 0,
  };
}

/** How many bytes at the end begin a character that is not complete yet. */
function cutOff(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needs > back ? back : 0;
  }
  return 0;
}
