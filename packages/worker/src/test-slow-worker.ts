/** A task of `fair-thread.test.ts`: blocks its thread for `holdMs`. */
export default function hold({ holdMs }: { holdMs: number }): number {
  const end = performance.now() + holdMs;
  while (performance.now() < end);
  return holdMs;
}
