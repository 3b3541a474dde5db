import { isUnacknowledged } from "./repair-streams.js";

/**
 * Does what a server, or this process, may be too busy for to be done in time, again until `patienceMs` are over: they may have just started, as everything around them.
 * @param isSlowness whether an error says no more than that
 * @throws what was thrown last
 */
export async function patiently<Result>(
  act: () => Promise<Result>,
  patienceMs: number,
  isSlowness: (error: unknown) => boolean = isUnacknowledged,
): Promise<Result> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isSlowness(error) || performance.now() >= until) throw error;
    }
  }
}
