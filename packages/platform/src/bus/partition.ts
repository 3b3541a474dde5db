import { partitions } from "@web-tester/contracts/messages";

/**
 * Partition of a host's work. All work of one host is in one partition, whose consumer bounds the requests in flight.
 * FNV-1a (32 bit, http://www.isthe.com/chongo/tech/comp/fnv/), because it must be the same in every replica and release.
 * @param host host name with port, as `URL.host` gives it
 */
export function partitionOf(host: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(host)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % partitions;
}
