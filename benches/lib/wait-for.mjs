// @ts-check
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls `look` repeatedly until it returns something, and returns that.
 * @template T
 * @param {() => Promise<T | undefined>} look undefined: not yet
 * @param {{ what: string, timeoutMs: number, everyMs?: number, signal: AbortSignal }} options `what`: what is waited for, for the error message
 * @returns {Promise<T>}
 * @throws when the time is up or `signal` aborts
 */
export async function waitFor(look, { what, timeoutMs, everyMs = 200, signal }) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not after ${timeoutMs / 1000} s`);
    await sleep(everyMs, undefined, { signal });
  }
}
