/**
 * Returns how much later than its due time a schedule's run begins: always the same for one schedule, evenly spread over schedules.
 * @param jitterMinutes the upper limit of the delay
 * @returns milliseconds, from 0 to less than `jitterMinutes`
 */
export function jitterOf(scheduleId: string, jitterMinutes: number): number {
  return Math.floor((hashOf(scheduleId) / 2 ** 32) * jitterMinutes * 60_000);
}

/** FNV-1a with a final mixing step, so that ids that differ in one character get distant hashes. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
