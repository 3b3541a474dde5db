import { partitions } from "@web-tester/contracts/messages";

/**
 * The partition of a host's work, unless another is less used. Hosts that share a partition wait for each other in its
 * queue, but each has its own places.
 * @param host host name with port, as `URL.host` gives it
 */
export function partitionOf(host: string): number {
  return hashOf(host) % partitions;
}

/** FNV-1a (32 bit, http://www.isthe.com/chongo/tech/comp/fnv/), because it must be the same in every replica and release. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** @param busy partitions that others use, one entry for each use @returns the one least used, the given one among equals */
export function freePartition(own: number, busy: readonly number[]): number {
  const uses = Array.from({ length: partitions }, () => 0);
  for (const partition of busy) uses[partition] = (uses[partition] ?? 0) + 1;
  let best = own;
  for (let step = 1; step < partitions; step++) {
    const next = (own + step) % partitions;
    if ((uses[next] ?? 0) < (uses[best] ?? 0)) best = next;
  }
  return best;
}
