/** The backoff: seconds until the next try, by the number of tries so far; the last one repeats. */
const waitsS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 21_600];
const giveUpAfterMs = 3 * 24 * 3_600_000;

/**
 * Decides when a message is tried again: after seconds at first, after hours in the end, with some jitter.
 * @param attempts tries so far, at least 1
 * @param firstAt when the message was made
 * @param waitMs how long the receiver asked to wait, if it did
 * @param random from 0 to less than 1
 * @returns null once three days have passed
 */
export function nextTry(
  attempts: number,
  firstAt: Date,
  now: Date,
  { waitMs = 0, random = 0 }: { waitMs?: number; random?: number } = {},
): Date | null {
  const wait = (waitsS[Math.min(attempts, waitsS.length) - 1] ?? 5) * 1_000 * (1 + random / 10);
  const at = now.getTime() + Math.max(wait, waitMs);
  return at > firstAt.getTime() + giveUpAfterMs ? null : new Date(at);
}
