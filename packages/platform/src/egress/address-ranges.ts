import ipaddr from "ipaddr.js";

/** What may allow addresses of a range: `private` by consent or by the allow list, `special` by the allow list only, `never` by nothing. */
type RangeKind = "private" | "special" | "never";

export interface AddressRange {
  kind: RangeKind;
  /** Fits behind "it is …". */
  label: string;
  cidr: string;
}

type Parsed = ipaddr.IPv4 | ipaddr.IPv6;
type Row = [cidr: string, kind: RangeKind, label: string];

// IANA special-purpose address registries (RFC 6890 and its updates); the metadata services of clouds come before the ranges that contain them.
const ipv4Rows: Row[] = [
  ["0.0.0.0/8", "never", "an address of “this network”"],
  ["100.100.100.200/32", "never", "a cloud metadata address"],
  ["168.63.129.16/32", "never", "a cloud metadata address"],
  ["169.254.0.0/16", "never", "a link-local address, where cloud metadata is served"],
  ["192.0.0.0/24", "never", "an address reserved for protocols"],
  ["224.0.0.0/4", "never", "a multicast address"],
  ["240.0.0.0/4", "never", "a reserved address"],
  ["10.0.0.0/8", "private", "a private address"],
  ["100.64.0.0/10", "private", "an address of a provider's inner network"],
  ["127.0.0.0/8", "private", "a loopback address"],
  ["172.16.0.0/12", "private", "a private address"],
  ["192.168.0.0/16", "private", "a private address"],
  ["192.0.2.0/24", "special", "a documentation address"],
  ["192.88.99.0/24", "special", "a 6to4 relay address"],
  ["198.18.0.0/15", "special", "an address for benchmarks"],
  ["198.51.100.0/24", "special", "a documentation address"],
  ["203.0.113.0/24", "special", "a documentation address"],
];

const ipv6Rows: Row[] = [
  ["::1/128", "private", "a loopback address"],
  ["::ffff:0:0/96", "never", "an IPv4 address written as IPv6"],
  ["::/96", "never", "an unspecified or IPv4-compatible address"],
  ["64:ff9b::/96", "special", "an IPv4 address translated by NAT64"],
  ["64:ff9b:1::/48", "special", "an IPv4 address translated by NAT64"],
  ["fd00:ec2::/32", "never", "a cloud metadata address"],
  ["fd20:ce::254/128", "never", "a cloud metadata address"],
  ["fc00::/7", "private", "a private address"],
  ["fe80::/10", "never", "a link-local address"],
  ["ff00::/8", "never", "a multicast address"],
  ["2001::/32", "special", "a Teredo address"],
  ["2001::/23", "special", "an address reserved for protocols"],
  ["2001:db8::/32", "special", "a documentation address"],
  ["2002::/16", "special", "a 6to4 address"],
  ["3fff::/20", "special", "a documentation address"],
];

const prepare = (rows: Row[]) =>
  rows.map(([cidr, kind, label]) => ({ range: { cidr, kind, label }, block: ipaddr.parseCIDR(cidr) }));
const ipv4Ranges = prepare(ipv4Rows);
const ipv6Ranges = prepare(ipv6Rows);
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/** Returns the special range that contains an address; null for public addresses: IPv4 global unicast and plain addresses of 2000::/3. */
export function rangeOf(address: Parsed): AddressRange | null {
  const table = address.kind() === "ipv4" ? ipv4Ranges : ipv6Ranges;
  const hit = table.find(({ block }) => address.match(block));
  if (hit !== undefined) return hit.range;
  if (address.kind() === "ipv4") return null;
  if (!address.match(globalUnicast))
    return { cidr: "outside 2000::/3", kind: "special", label: "no address of the public IPv6 internet" };
  if (isIsatap(address.toByteArray()))
    return { cidr: "::5efe:0:0/96", kind: "special", label: "an ISATAP tunnel address" };
  return null;
}

/** Returns the IPv4 address at which packets to an IPv6 tunnel or translation address arrive; null for other addresses. RFC 6052, 3056, 4380, 5214. */
export function embeddedIpv4(address: Parsed): ipaddr.IPv4 | null {
  if (address.kind() === "ipv4") return null;
  const bytes = address.toByteArray();
  const at = (start: number, mask = 0) => new ipaddr.IPv4(bytes.slice(start, start + 4).map((byte) => byte ^ mask));
  const isIn = (cidr: string) => address.match(ipaddr.parseCIDR(cidr));
  if (isIn("2002::/16")) return at(2);
  if (isIn("2001::/32")) return at(12, 0xff);
  if (isIn("::1/128")) return null;
  if (isIn("::ffff:0:0/96") || isIn("::/96") || isIn("64:ff9b::/96") || isIn("64:ff9b:1::/48") || isIsatap(bytes))
    return at(12);
  return null;
}

function isIsatap(bytes: number[]): boolean {
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
