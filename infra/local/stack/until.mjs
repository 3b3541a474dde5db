// @ts-check
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls `condition` repeatedly until it returns something other than undefined, or the time is over.
 * @template T
 * @param {() => Promise<T | undefined> | T | undefined} condition
 * @param {{ timeoutMs: number, everyMs: number, signal?: AbortSignal | undefined, stillWaiting?: ((seconds: number) => void) | undefined, toldEveryMs?: number }} options
 *   `stillWaiting`: called every `toldEveryMs` (default: 15 s) with the seconds that have passed
 * @returns {Promise<T | undefined>} undefined: time over
 */
export async function until(condition, { timeoutMs, everyMs, signal, stillWaiting, toldEveryMs = 15_000 }) {
  const begun = performance.now();
  const end = begun + timeoutMs;
  let told = begun;
  for (;;) {
    signal?.throwIfAborted();
    const value = await condition();
    if (value !== undefined) return value;
    if (performance.now() >= end) return undefined;
    if (performance.now() - told >= toldEveryMs) {
      told = performance.now();
      stillWaiting?.(Math.round((told - begun) / 1_000));
    }
    await sleep(everyMs, undefined, signal ? { signal } : {});
  }
}
