// @ts-check
/**
 * Returns the longest time that a service's event loop was blocked since the last call, from its own /metrics.
 * @param {string | undefined} origin the address of the service
 * @returns {Promise<number>} ms; without Node's own sampling interval of 10 ms
 */
export async function longestBlockMs(origin) {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)/m.exec(text)?.[1];
  return Math.max(0, Number(seconds) * 1000 - 10);
}
