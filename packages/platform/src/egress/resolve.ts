import { lookup as systemLookup } from "node:dns";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { HostAndPort } from "./address-policy.js";

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Finds every address of a host name. @throws an error with a `code` such as ENOTFOUND or EAI_AGAIN where there is none. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>;

/** The resolver of the operating system, /etc/hosts included, in the order it gives. */
export const lookupBySystem: Lookup = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true, verbatim: true }, (error, found) => {
      if (error !== null) reject(error);
      else resolve(found.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 })));
    });
  });

/** Every address of this machine, for `AddressPolicyOptions.localAddresses`. */
export function localAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((interfaces) =>
    (interfaces ?? []).map(({ address }) => address.replace(/%.*$/, "")),
  );
}

/** Adds the addresses behind the names of own parts, so that another name for the same address is denied too. Names without an address stay names. */
export async function resolveOwnAddresses(
  parts: readonly HostAndPort[],
  lookup: Lookup = lookupBySystem,
): Promise<HostAndPort[]> {
  const resolved = await Promise.all(
    parts.map(async ({ host, port }) => {
      if (isIP(host.replace(/^\[|\]$/g, "")) !== 0) return [];
      const found = await lookup(host).catch((): ResolvedAddress[] => []);
      return found.map(({ address }) => ({ host: address, port }));
    }),
  );
  return [...parts, ...resolved.flat()];
}
