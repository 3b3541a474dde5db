import type { IncomingHttpHeaders } from "node:http";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The parts of a request that tell where it comes from. */
export interface Origin {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

/**
 * Returns a function that names the client of a request.
 * @param trustedProxies addresses and networks whose `X-Forwarded-For` is believed
 * @returns a name for the client: its IPv4 address, or the first 64 bits of its IPv6 address, since a client has that whole network.
 * Null for this machine itself, unless it is a proxy in front of others
 */
export function clientNames(trustedProxies: readonly string[]): (origin: Origin) => string | null {
  const isTrusted = trust(trustedProxies);

  const nameOfClient = (origin: Origin): string | null => {
    const peer = parse(origin.socket.remoteAddress ?? "");
    if (peer === null) return "unknown";
    const client = clientBehind(peer, origin, isTrusted);
    return client === peer && client.range() === "loopback" ? null : nameOf(client);
  };

  /** Names by connection, which stay the same for all its requests, unless it carries `X-Forwarded-For`. */
  const names = new WeakMap<Origin["socket"], string | null>();
  return (origin) => {
    if (origin.headers["x-forwarded-for"] !== undefined) return nameOfClient(origin);
    let name = names.get(origin.socket);
    if (name === undefined) names.set(origin.socket, (name = nameOfClient(origin)));
    return name;
  };
}

/**
 * Returns a function that gives the whole address of a request's client, for the log; "unknown" after the connection has ended.
 * @param trustedProxies as for `clientNames`
 */
export function clientAddresses(trustedProxies: readonly string[]): (origin: Origin) => string {
  const isTrusted = trust(trustedProxies);
  return (origin) => {
    const peer = parse(origin.socket.remoteAddress ?? "");
    return peer === null ? "unknown" : clientBehind(peer, origin, isTrusted).toString();
  };
}

/** Returns the client that a chain of trusted proxies speaks for: each proxy appends the address it heard from to `X-Forwarded-For`. */
function clientBehind(peer: Address, { headers }: Origin, isTrusted: (address: Address) => boolean): Address {
  let client = peer;
  // entries before the first address that is no trusted proxy may be invented
  const hops = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",").toReversed();
  for (const hop of hops) {
    const before = isTrusted(client) ? parse(hop.trim()) : null;
    if (before === null) break;
    client = before;
  }
  return client;
}

/** Returns a function that tells whether an address belongs to a trusted proxy. */
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

/** Parses an address; an IPv4 address in IPv6 notation becomes an IPv4 address. */
function parse(text: string): Address | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

function nameOf(address: Address): string {
  if (address.kind() === "ipv4") return address.toString();
  return Buffer.from(address.toByteArray().slice(0, 8)).toString("hex");
}
