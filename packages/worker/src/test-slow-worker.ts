/** A task of `fair-thread.test.ts`: for so long nothing else happens in its thread. */
export default function hold({ holdMs }: { holdMs: number }): number {
  const end = performance.now() + holdMs;
  while (performance.now() < end);
  return holdMs;
}
