import type { IncomingHttpHeaders } from "node:http";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** What is known of where a request comes from. */
export interface Origin {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

/**
 * Tells clients apart.
 * @param trustedProxies addresses and networks whose `X-Forwarded-For` is believed
 * @returns a name for the client: its address, or its network of 64 bits where it is an IPv6 one, since a client has all of that. Null
 *   for this machine itself, unless it is a proxy in front of others
 */
export function clientNames(trustedProxies: readonly string[]): (origin: Origin) => string | null {
  const isTrusted = trust(trustedProxies);

  const nameOfClient = ({ headers, socket }: Origin): string | null => {
    const peer = parse(socket.remoteAddress ?? "");
    if (peer === null) return "unknown";
    let client = peer;
    // each proxy adds whom it heard from at the end; what stands before the first one that is not ours may be invented
    const hops = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",").toReversed();
    for (const hop of hops) {
      const before = isTrusted(client) ? parse(hop.trim()) : null;
      if (before === null) break;
      client = before;
    }
    return client === peer && client.range() === "loopback" ? null : nameOf(client);
  };

  /** Of connections that carry nobody else's requests, which ask again and again. */
  const names = new WeakMap<Origin["socket"], string | null>();
  return (origin) => {
    if (origin.headers["x-forwarded-for"] !== undefined) return nameOfClient(origin);
    let name = names.get(origin.socket);
    if (name === undefined) names.set(origin.socket, (name = nameOfClient(origin)));
    return name;
  };
}

/** Tells whether an address is one of the proxies. */
export function proxyNames(trustedProxies: readonly string[]): (address: string | undefined) => boolean {
  const isTrusted = trust(trustedProxies);
  return (address) => {
    const parsed = parse(address ?? "");
    return parsed !== null && isTrusted(parsed);
  };
}

function trust(trustedProxies: readonly string[]): (address: Address) => boolean {
  const networks = trustedProxies.map((text) =>
    ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : hostNetwork(ipaddr.process(text)),
  );
  return (address) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function hostNetwork(address: Address): [Address, number] {
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** An IPv4 address in IPv6 notation is an IPv4 address. */
function parse(text: string): Address | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

function nameOf(address: Address): string {
  if (address.kind() === "ipv4") return address.toString();
  return Buffer.from(address.toByteArray().slice(0, 8)).toString("hex");
}
