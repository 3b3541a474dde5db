import { partitions } from "@web-tester/contracts/messages";

/**
 * The default partition of a host's work; see `freePartition` for a less used one. Hosts that share a partition share its queue, but each
 * host has its own places.
 * @param host host name with port, as `URL.host` gives it
 */
export function partitionOf(host: string): number {
  return hashOf(host) % partitions;
}

/** The FNV-1a hash (32 bit, http://www.isthe.com/chongo/tech/comp/fnv/), which is the same in every replica and release. */
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
