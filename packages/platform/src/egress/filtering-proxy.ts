import { once } from "node:events";
import ipaddr from "ipaddr.js";
import type { AddressPolicy } from "./address-policy.js";
import { createConnector } from "./connect.js";
import { createEgress, type EgressOptions } from "./egress.js";
import { openListener, type ProxyListener, type Ways } from "./proxy-listener.js";
import { createNames } from "./names.js";

export interface FilteringProxy {
  /** Opens a proxy listener: a proxy address for a single tab at a time. It lets through what the tab's grant allows, and no other tab shares it. */
  openListener(): Promise<ProxyListener>;
  /** Closes every proxy listener and every connection. */
  close(): Promise<void>;
}

/**
 * The only way out for Chromium: an HTTP proxy on loopback that resolves names itself, checks each address by the policy of all other
 * requests of the product, and connects to the very address that it checked. Requests, tunnels (https, websockets) and their answers pass;
 * other proxy listeners of the proxy and the product's own ports do not.
 */
export function createFilteringProxy(policy: AddressPolicy, options: EgressOptions = {}): FilteringProxy {
  const listeners = new Set<ProxyListener>();
  const guarded: AddressPolicy = {
    decide(destination) {
      if ([...listeners].some(({ port }) => port === destination.port) && isThisMachine(destination.address))
        return {
          allowed: false,
          reason: `The address ${destination.host}:${destination.port} was refused: this product itself listens there. Its own parts are never fetched.`,
        };
      return policy.decide(destination);
    },
  };
  const names = options.lookup === undefined ? (options.names ?? createNames()) : null;
  const guard = {
    policy: guarded,
    lookup: options.lookup ?? names?.lookup ?? createNames().lookup,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    extraCa: options.extraCa ?? [],
  };
  const ways: Ways = {
    egress: createEgress(guarded, names === null ? options : { ...options, names }),
    names,
    connectTunnel: createConnector(guard, false),
    connectConsentedTunnel: createConnector(guard, true),
  };

  return {
    async openListener() {
      const { proxyListener, server } = openListener(ways, () => listeners.delete(proxyListener));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      listeners.add(proxyListener);
      return proxyListener;
    },
    async close() {
      await Promise.all([...listeners].map((proxyListener) => proxyListener.close()));
      await ways.egress.close();
    },
  };
}

function isThisMachine(address: string): boolean {
  if (!ipaddr.isValid(address)) return true;
  const parsed = ipaddr.process(address);
  return ["loopback", "unspecified"].includes(parsed.range());
}
