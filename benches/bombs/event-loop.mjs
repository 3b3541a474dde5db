// @ts-check
/**
 * How long a service's event loop stood still since this was last asked, from its own /metrics: the worst single time.
 * @param {string | undefined} origin where the service answers
 * @returns {Promise<number>} ms; Node's own 10 ms of looking in are left out
 */
export async function longestBlockMs(origin) {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)/m.exec(text)?.[1];
  return Math.max(0, Number(seconds) * 1000 - 10);
}
