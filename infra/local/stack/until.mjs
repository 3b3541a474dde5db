// @ts-check
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks `condition` again and again until it gives something other than undefined, or the time is over.
 * @template T
 * @param {() => Promise<T | undefined> | T | undefined} condition
 * @param {{ timeoutMs: number, everyMs: number, signal?: AbortSignal | undefined }} options
 * @returns {Promise<T | undefined>} undefined: time over
 */
export async function until(condition, { timeoutMs, everyMs, signal }) {
  const end = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const value = await condition();
    if (value !== undefined) return value;
    if (performance.now() >= end) return undefined;
    await sleep(everyMs, undefined, signal ? { signal } : {});
  }
}
