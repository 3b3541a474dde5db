import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { HostAndPort } from "./address-policy.js";

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** `owner`: on whose behalf the name is looked up; owners take turns. `signal`: aborts the waiting and the lookup; its reason is thrown. */
interface LookupOptions {
  owner?: string;
  signal?: AbortSignal;
}

/** Finds every address of a host name. @throws an error with a `code` such as ENOTFOUND or ETIMEOUT when there is none */
export type Lookup = (hostname: string, options?: LookupOptions) => Promise<ResolvedAddress[]>;

/** Every address of this machine, for `AddressPolicyOptions.localAddresses`. */
export function localAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((interfaces) =>
    (interfaces ?? []).map(({ address }) => address.replace(/%.*$/, "")),
  );
}

/**
 * Adds the addresses that the host names of own parts resolve to, so that another name for the same address is denied too. Parts whose
 * names do not resolve stay in the list.
 */
export async function resolveOwnAddresses(parts: readonly HostAndPort[], lookup: Lookup): Promise<HostAndPort[]> {
  const resolved = await Promise.all(
    parts.map(async ({ host, port }) => {
      if (isIP(host.replace(/^\[|\]$/g, "")) !== 0) return [];
      const found = await lookup(host).catch((): ResolvedAddress[] => []);
      return found.map(({ address }) => ({ host: address, port }));
    }),
  );
  return [...parts, ...resolved.flat()];
}
