import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import { hostname } from "node:os";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import type { Bus } from "../bus/bus.js";
import type { HostAndPort } from "./address-policy.js";
import { type Lookup, localAddresses, resolveOwnAddresses } from "./resolve.js";

/** The announcement of where a process listens, sent to all others. Loopback addresses mean the machine that `machine` names. */
const announcement = z.object({
  process: z.string().max(100),
  machine: z.string().max(300),
  listens: z.array(z.object({ host: z.string().max(300), port: z.int().min(1).max(65_535) })).max(200),
});
type Announcement = z.infer<typeof announcement>;

/** The addresses where the product's parts listen, kept up to date. */
export interface OwnParts {
  /** Host names and addresses, each with a port; a new array after each change. */
  current(): readonly HostAndPort[];
  /** Announces to every process of the product that this one listens at an address, or is about to. */
  listens(host: string, port: number): void;
  close(): void;
}

export interface OwnPartsOptions {
  /** The parts that the settings name (`namedParts`). */
  named: readonly HostAndPort[];
  lookup: Lookup;
  bus: Pick<Bus, "tell" | "hear" | "servers">;
  /** The address that the database server itself reports, whatever name leads to it; null when it does not say. */
  databaseAddress(): Promise<HostAndPort | null>;
  /** Milliseconds between two announcements, and between two lookups of the names; default 10 s. */
  everyMs?: number;
}

/** Milliseconds that a new process waits, before it loads anything, for the answers of the others, which come at once. */
const answersMs = 250;
const firstLookMs = 2_000;
/** An address that was not announced or found for this long is dropped from the list: it may belong to something else by now. */
const keptMs = 10 * 60_000;
const partsMax = 2_000;
const subjects = { here: "presence.here", who: "presence.who" };

/**
 * Keeps the list of addresses that are never fetched from: named parts with every address of their names, which are looked up periodically,
 * and the addresses that every other process announces. Resolves once the others have had time to announce theirs.
 */
export async function openOwnParts(options: OwnPartsOptions): Promise<OwnParts> {
  const { named, lookup, bus, everyMs = 10_000 } = options;
  const process = randomUUID();
  const own = new Map<string, HostAndPort>();
  const list = keepSeen(named);
  const announce = () => {
    const listens = [...own.values()];
    if (own.size > 0) bus.tell(subjects.here, { process, machine: hostname(), listens } satisfies Announcement);
  };
  const stopHearing = [bus.hear(subjects.here, (told) => list.note(partsTold(told))), bus.hear(subjects.who, announce)];

  async function look(): Promise<void> {
    const servers = bus.servers().map(splitAddress);
    const [names, database] = await Promise.all([
      resolveOwnAddresses([...named, ...servers], lookup),
      options.databaseAddress().catch(() => null),
    ]);
    list.note([...names.slice(named.length), ...(database === null ? [] : [database])]);
  }

  bus.tell(subjects.who, {});
  const timer = setInterval(() => {
    announce();
    void look();
  }, everyMs);
  timer.unref();
  await Promise.all([Promise.race([look(), sleep(firstLookMs)]), sleep(answersMs)]);

  return {
    current: list.current,
    listens(host, port) {
      for (const each of hostsOf(host)) own.set(`${each} ${port}`, { host: each, port });
      list.note([...own.values()]);
      announce();
    },
    close() {
      clearInterval(timer);
      for (const stop of stopHearing) stop();
    },
  };
}

/** Returns the addresses that another process announced; none when the message is no announcement. */
function partsTold(told: unknown): HostAndPort[] {
  const parsed = announcement.safeParse(told);
  if (!parsed.success) return [];
  const isHere = parsed.data.machine === hostname();
  return parsed.data.listens.filter(({ host }) => isHere || !isLoopback(host));
}

/** The list of parts: named ones stay for good, announced or found ones until they have not been seen for ten minutes. */
function keepSeen(named: readonly HostAndPort[]) {
  /** When each host and port was last announced or found. */
  const seen = new Map<string, { part: HostAndPort; at: number }>();
  let list: readonly HostAndPort[] = named;

  function note(parts: readonly HostAndPort[]): void {
    const now = performance.now();
    const before = seen.size;
    for (const part of parts) {
      const key = `${part.host} ${part.port}`;
      seen.delete(key);
      seen.set(key, { part, at: now });
    }
    for (const [key, { at }] of seen) {
      if (seen.size <= partsMax && now - at < keptMs) break;
      seen.delete(key);
    }
    if (parts.length > 0 || seen.size !== before) list = [...named, ...[...seen.values()].map(({ part }) => part)];
  }
  return { current: () => list, note };
}

/** Returns the addresses at which a part that listens on `host` can be reached. */
function hostsOf(host: string): string[] {
  const isAny = host === "0.0.0.0" || host === "::";
  return isAny ? ["127.0.0.1", ...localAddresses().filter((address) => !isLoopback(address))] : [host];
}

function isLoopback(host: string): boolean {
  return host === "localhost" || (isIP(host) !== 0 && ipaddr.process(host).range() === "loopback");
}

/** Splits `host:port`, `[address]:port` or an IPv6 address whose last part is the port. */
function splitAddress(text: string): HostAndPort {
  const at = text.lastIndexOf(":");
  return { host: text.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port: Number(text.slice(at + 1)) };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
