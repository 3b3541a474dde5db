import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { AppError } from "@web-tester/contracts/errors";
import { type AddressRange, embeddedIpv4, rangeOf } from "./address-ranges.js";

/** Host (as `URL.hostname` writes it) and port of a test object's own URL: the one private destination that its requests may reach. */
export interface Consent {
  host: string;
  port: number;
}

export interface HostAndPort {
  /** Host name or IP address. */
  host: string;
  port: number;
}

export interface AddressPolicyOptions {
  /** "own-host": a private address may be reached if the test object's URL itself names it; "deny": only through `allow`. */
  private: "own-host" | "deny";
  /** Host names, IP addresses and CIDR blocks that may be private (EGRESS_ALLOW). */
  allow: readonly string[];
  /**
   * Where the product's own parts listen; a function when the list can change, which returns a new array after each change. A loopback or
   * unspecified host stands for every local address. These are denied whatever else allows them.
   */
  ownAddresses: readonly HostAndPort[] | (() => readonly HostAndPort[]);
  /** Addresses of this machine's interfaces besides loopback (`localAddresses()`). */
  localAddresses?: readonly string[];
}

/** A connection that is about to be opened. */
interface Destination {
  /** The host the URL names. */
  host: string;
  /** The IP address to connect to: `host` itself, or one that it resolved to. */
  address: string;
  port: number;
  consent: Consent | null;
}

/** `reason`: a sentence for a person that names the host, the address and what to do about it. */
export type Decision = { allowed: true } | { allowed: false; reason: string };

export interface AddressPolicy {
  decide(destination: Destination): Decision;
}

const allowed: Decision = { allowed: true };

/** Suffixes that public DNS never resolves (RFC 6761, RFC 8375, ICANN's reserved and collision lists); names of a single label never resolve either. */
const privateSuffixes = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "test",
  "home.arpa",
];

/** Returns the consent that a user gives by registering a test object with this URL. */
export function consentFor(url: URL): Consent {
  return { host: url.hostname, port: portOf(url) };
}

/** Returns the port of a URL, which is the scheme's default when the URL has none. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Whether the consent names exactly this host and port. */
export function isConsented(host: string, port: number, consent: Consent | null): boolean {
  return consent !== null && consent.port === port && bare(consent.host) === bare(host);
}

/**
 * Decides which addresses may be connected to: public ones; private ones by consent or by the allow list; never cloud metadata, link-local,
 * multicast and unspecified addresses, nor the product's own ports. Consent reaches a private address only by a name that cannot be a
 * public one (an address, `localhost`, a single label, `.internal` …): otherwise the owner of a public name could point it into the private
 * network after the test object was registered (DNS rebinding).
 * @throws AppError invalid_input for an entry of `allow` that is neither a host nor an address block; the message names it.
 */
export function createAddressPolicy(options: AddressPolicyOptions): AddressPolicy {
  const allowList = parseAllowList(options.allow);
  const isOwnPart = knowOwnParts(options);

  function decide(destination: Destination): Decision {
    const host = bare(destination.host);
    const named =
      isIP(host) === 0
        ? `The host ${host} was refused: it points to ${destination.address}, and that is`
        : `The address ${host} was refused: it is`;
    if (isIP(destination.address) === 0 || destination.address.includes("%"))
      return refused(`The host ${host} was refused: “${destination.address}” is not a plain IP address.`);
    const address = ipaddr.parse(destination.address);
    const inner = embeddedIpv4(address);
    if (isOwnPart(host, address, destination.port) || (inner !== null && isOwnPart(host, inner, destination.port)))
      return refused(
        `${named} where this product itself listens (port ${destination.port}). Its own parts are never fetched.`,
      );
    const range = rangeOf(address);
    if (range === null) return allowed;
    const innerRange = inner === null ? null : rangeOf(inner);
    if (range.kind === "never" || innerRange?.kind === "never")
      return refused(`${named} ${describe(range)}. Such addresses are never fetched.`);
    const isListed = (one: Address) => isAllowListed(allowList, host, one);
    if (isListed(address) && (inner === null || innerRange === null || isListed(inner))) return allowed;
    const consented = options.private === "own-host" && isConsented(host, destination.port, destination.consent);
    if (consented && range.kind === "private" && isPrivateName(host)) return allowed;
    return refused(`${named} ${describe(range)}. ${adviceFor(host, range, options.private, consented)}`);
  }

  return { decide };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type AllowList = ReturnType<typeof parseAllowList>;

/** Returns a function that tells whether the product's own parts listen at an address; the list is parsed again when it has changed. */
function knowOwnParts({ ownAddresses, localAddresses = [] }: AddressPolicyOptions) {
  const ownParts = typeof ownAddresses === "function" ? ownAddresses : () => ownAddresses;
  let listed: readonly HostAndPort[] | null = null;
  let own: { host: string; port: number; isLocal: boolean }[] = [];
  const local = new Set(localAddresses.map(canonical));
  return (host: string, address: Address, port: number): boolean => {
    const text = address.toString();
    const isLocal = local.has(text) || isLocalHost(text);
    const present = ownParts();
    if (present !== listed) {
      listed = present;
      own = present.map((part) => {
        const named = canonical(bare(part.host));
        return { host: named, port: part.port, isLocal: isLocalHost(named) };
      });
    }
    return own.some(
      (part) => part.port === port && ((part.isLocal && isLocal) || part.host === host || part.host === text),
    );
  };
}

function isAllowListed({ hosts, blocks }: AllowList, host: string, address: Address): boolean {
  return hosts.has(host) || blocks.some((block) => block[0].kind() === address.kind() && address.match(block));
}

function refused(reason: string): Decision {
  return { allowed: false, reason };
}

function describe(range: AddressRange): string {
  return `${range.label} (${range.cidr})`;
}

function adviceFor(host: string, range: AddressRange, mode: "own-host" | "deny", consented: boolean): string {
  const byAllowList = `start the product with ${host} in EGRESS_ALLOW`;
  if (range.kind === "private" && mode === "own-host" && !consented) {
    return `Only public addresses are fetched, and the exact host and port of the test object's own URL. To fetch this one, register it as a test object of its own, or ${byAllowList}.`;
  }
  if (consented)
    return `A name of the public internet is not trusted to point there. If the site is yours, ${byAllowList}.`;
  return `Only public addresses are fetched. If the site is yours, ${byAllowList}.`;
}

function parseAllowList(entries: readonly string[]) {
  const hosts = new Set<string>();
  const blocks: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  for (const entry of entries.map((text) => text.trim()).filter((text) => text !== "")) {
    const host = bare(entry);
    const [base = "", bits] = host.split("/");
    if (bits === undefined && isIP(host) !== 0) blocks.push([ipaddr.parse(host), isIP(host) === 4 ? 32 : 128]);
    else if (bits !== undefined && isIP(base) !== 0 && ipaddr.isValidCIDR(host)) blocks.push(ipaddr.parseCIDR(host));
    else if (/^(?=.*[a-z])[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(host)) hosts.add(host);
    else
      throw new AppError(
        "invalid_input",
        `EGRESS_ALLOW has an entry “${entry}” that is neither a host name, an IP address nor a block like 10.0.0.0/8. Correct or remove it.`,
      );
  }
  return { hosts, blocks };
}

/** In lower case, without the brackets of an IPv6 literal and without the final dot of a fully qualified name. */
function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

function canonical(host: string): string {
  return isIP(host) === 0 || host.includes("%") ? host : ipaddr.parse(host).toString();
}

function isLocalHost(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  if (isIP(host) === 0 || host.includes("%")) return false;
  const parsed = ipaddr.parse(host);
  const range = parsed.range();
  if (range === "ipv4Mapped" && parsed instanceof ipaddr.IPv6) return isLocalHost(parsed.toIPv4Address().toString());
  return range === "loopback" || range === "unspecified" || host.startsWith("0.");
}

function isPrivateName(host: string): boolean {
  return isIP(host) !== 0 || !host.includes(".") || privateSuffixes.some((suffix) => host.endsWith(`.${suffix}`));
}
