import { LRUCache } from "lru-cache";
import { lookup as systemLookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { createFairSlots } from "../lifecycle/fair-slots.js";
import type { Consent } from "./address-policy.js";
import { codeOf } from "./describe-failure.js";
import { candidatesFor, type NameFiles, type NameSettings, systemFiles, watchNameSettings } from "./name-settings.js";
import type { Lookup, ResolvedAddress } from "./resolve.js";

export interface NamesOptions {
  /** Ask these name servers (address or address:port) instead of those of the system; for tests. */
  servers?: readonly string[];
  files?: NameFiles;
  /** Milliseconds for one name, all attempts included; default 8 s. Waiting for a turn does not count. */
  timeLimitMs?: number;
  /** Names that are looked up at once for one owner; default 16. */
  mostOfOne?: number;
}

/** Resolves host names without holding a thread: a name that no server answers for delays only the page that needs it. */
export interface Names {
  lookup: Lookup;
}

/** The most names that are looked up at once; each has a socket. */
const atOnce = 256;
const defaults = { timeLimitMs: 8_000, mostOfOne: 16, timeoutMs: 2_000, attempts: 3 };
/** Once one address family has answered, the other one gets at most this many milliseconds more. */
const otherFamilyMs = 500;
const kept = { names: 5_000, leastMs: 2_000, mostMs: 60_000, failureMs: 20_000, unreachableMs: 2_000 };
const addressesMax = 64;
const noSettings: NameSettings = {
  hosts: new Map(),
  servers: [],
  rotates: false,
  search: [],
  ndots: 1,
  timeoutMs: null,
  attempts: null,
  others: [],
};

interface Known {
  until: number;
  answer: { addresses: ResolvedAddress[] } | { error: Error };
}

/**
 * Returns the owner of a lookup, which decides whose turn it is: the test object, known by the consent that each of its requests carries;
 * without consent the name itself.
 */
export function askerOf(consent: Consent | null | undefined, host: string): string {
  return consent == null ? host : `${consent.host}:${consent.port}`;
}

/**
 * Resolves names as the system would: hosts file, then the servers of /etc/resolv.conf with its search domains and options, reread when
 * they change. Sources that only the system's own resolver can query (mdns; everything on Windows and macOS) are left to it, two names at
 * once.
 *
 * Concurrent lookups of the same name share one query. Answers are cached for their TTL, but at least 2 s and at most a minute; failures
 * for 20 s (2 s if the server could not be reached).
 */
export function createNames(options: NamesOptions = {}): Names {
  const { servers, files = systemFiles } = options;
  const timeLimitMs = options.timeLimitMs ?? defaults.timeLimitMs;
  const readSettings = watchNameSettings(files);
  const places = createFairSlots(atOnce, options.mostOfOne ?? defaults.mostOfOne);
  const askSystem = limitSystem(timeLimitMs);
  const memory = rememberNames();
  const share = shareQuestions();
  let turn = 0;

  async function find(name: string, settings: NameSettings | null, signal: AbortSignal): Promise<ResolvedAddress[]> {
    try {
      const found = await findAnew(name, settings, signal);
      memory.keep(name, Math.min(kept.mostMs, Math.max(kept.leastMs, found.ttlMs)), found);
      return found.addresses;
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error;
      memory.keep(name, codeOf(error) === "ECONNREFUSED" ? kept.unreachableMs : kept.failureMs, { error });
      throw error;
    }
  }

  async function findAnew(name: string, settings: NameSettings | null, signal: AbortSignal): Promise<Found> {
    if (settings === null && servers === undefined) return askSystem(name);
    settings ??= noSettings;
    if (isMdns(name, settings)) return askSystem(name);
    turn += 1;
    try {
      return await askServers(name, settings, { servers: servers ?? inTurn(settings, turn), timeLimitMs, signal });
    } catch (error) {
      // a name without dots that DNS does not know may come from one of the system's other sources
      if (settings.others.length === 0 || name.includes(".") || !isNotFound(error)) throw error;
      return askSystem(name);
    }
  }

  return {
    async lookup(hostname, { owner = hostname, signal } = {}) {
      signal?.throwIfAborted();
      const name = hostname.toLowerCase();
      const plain = name.replace(/\.$/, "");
      const settings = await readSettings();
      const listed = settings?.hosts.get(plain) ?? (isLocalhost(plain) ? ["127.0.0.1", "::1"] : undefined);
      if (listed !== undefined) return inOrder(listed);
      const found = memory.recall(name);
      if (found !== null) return found;
      // an owner with many names waits for its own turn, even for a name that another owner is already asking for
      const release = await places.take(owner, signal);
      try {
        return memory.recall(name) ?? (await share(name, (stop) => find(name, settings, stop), signal));
      } finally {
        release();
      }
    },
  };
}

/** A cache of recent answers and failures. */
function rememberNames() {
  const known = new LRUCache<string, Known>({ max: kept.names });
  return {
    keep(name: string, forMs: number, answer: Known["answer"]): void {
      known.set(name, { until: performance.now() + forMs, answer });
    },
    /** @returns null when nothing is cached. @throws the cached error */
    recall(name: string): ResolvedAddress[] | null {
      const found = known.get(name);
      if (found === undefined || found.until < performance.now()) return null;
      if ("error" in found.answer) throw found.answer.error;
      return found.answer.addresses;
    },
  };
}

type Ask = (stop: AbortSignal) => Promise<ResolvedAddress[]>;

/** Shares one query among all callers that ask for the same name; it is cancelled when the last of them has gone. */
function shareQuestions() {
  const underWay = new Map<string, Shared>();
  const begin = (name: string, ask: Ask): Shared => {
    const stop = new AbortController();
    const answer = ask(stop.signal).finally(() => underWay.delete(name));
    answer.catch(() => undefined); // callers that still wait get the rejection themselves
    const shared = { answer, stop, askers: 0 };
    underWay.set(name, shared);
    return shared;
  };
  return async (name: string, ask: Ask, signal?: AbortSignal): Promise<ResolvedAddress[]> => {
    const shared = underWay.get(name) ?? begin(name, ask);
    shared.askers += 1;
    try {
      return await unlessAborted(shared.answer, signal);
    } finally {
      shared.askers -= 1;
      if (shared.askers === 0) {
        shared.stop.abort();
        if (underWay.get(name) === shared) underWay.delete(name);
      }
    }
  };
}

interface Found {
  addresses: ResolvedAddress[];
  ttlMs: number;
}

interface Shared {
  answer: Promise<ResolvedAddress[]>;
  stop: AbortController;
  askers: number;
}

function isMdns(name: string, { others }: NameSettings): boolean {
  return others.some((source) => source.startsWith("mdns")) && /\.local\.?$/.test(name);
}

/** Whether a name means this machine, so that no server is asked (RFC 6761 §6.3). */
function isLocalhost(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

function inTurn({ servers, rotates }: NameSettings, turn: number): readonly string[] {
  const first = rotates ? turn % servers.length : 0;
  return [...servers.slice(first), ...servers.slice(0, first)];
}

interface Asking {
  servers: readonly string[];
  timeLimitMs: number;
  signal: AbortSignal;
}

/** @throws an error with a code: ENOTFOUND, or why no server answered */
async function askServers(
  name: string,
  settings: NameSettings,
  { servers, timeLimitMs, signal }: Asking,
): Promise<Found> {
  const resolver = new Resolver({
    timeout: settings.timeoutMs ?? defaults.timeoutMs,
    tries: settings.attempts ?? defaults.attempts,
  });
  resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  const timer = setTimeout(cancel, timeLimitMs);
  signal.addEventListener("abort", cancel, { once: true });
  const endsAt = performance.now() + timeLimitMs;
  try {
    let fault = nameError("ENOTFOUND", name);
    for (const candidate of candidatesFor(name, settings)) {
      signal.throwIfAborted();
      if (performance.now() >= endsAt) break;
      const found = await askBoth(resolver, candidate);
      if (!(found instanceof Error)) return found;
      fault = found;
      // as glibc does: a server that fails for one domain may know the name in another; a server that is silent is silent for all
      if (!isNotFound(found) && codeOf(found) !== "ESERVFAIL") break;
    }
    throw fault;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    resolver.cancel();
  }
}

async function askBoth(resolver: Resolver, name: string): Promise<Found | Error> {
  const families = [resolver.resolve4(name, { ttl: true }), resolver.resolve6(name, { ttl: true })].map((asked) =>
    asked.catch((error: unknown) => nameError(codeOf(error), name)),
  );
  const all = Promise.all(families);
  const first = await Promise.race(families);
  let answers =
    first instanceof Error ? await all : await Promise.race([all, sleep(otherFamilyMs).then(() => [first])]);
  if (answers.every((answer) => answer instanceof Error)) answers = await all;
  const records = answers.flatMap((answer) => (answer instanceof Error ? [] : answer));
  if (records.length === 0)
    return worstOf(
      answers.filter((answer) => answer instanceof Error),
      name,
    );
  return {
    addresses: inOrder(records.slice(0, addressesMax).map(({ address }) => address)),
    ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000,
  };
}

/** Picks the error that says most: “no such name” holds for both address families, “no address of this family” says nothing of the other one. */
function worstOf(errors: Error[], name: string): Error {
  const find = (wanted: (code: string) => boolean) => errors.find((error) => wanted(codeOf(error)));
  return (
    find((code) => code === "ENOTFOUND") ??
    find((code) => code !== "ENODATA") ??
    errors[0] ??
    nameError("ENOTFOUND", name)
  );
}

function isNotFound(error: unknown): boolean {
  return /^(?:ENOTFOUND|ENODATA|EBADNAME|EBADSTR)$/.test(codeOf(error));
}

/** Makes an error with a code; a query that was cancelled counts as timed out. */
function nameError(code: string, name: string): Error {
  const known = code === "ECANCELLED" || code === "EDESTRUCTION" || code === "" ? "ETIMEOUT" : code;
  return Object.assign(new Error(`${known} ${name}`), { code: known });
}

/** Puts IPv6 first when this machine has a global IPv6 address, else IPv4; within a family the order stays as answered. */
function inOrder(addresses: readonly string[]): ResolvedAddress[] {
  const all = addresses.map((address): ResolvedAddress => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  const preferred = hasIpv6() ? 6 : 4;
  return [...all.filter(({ family }) => family === preferred), ...all.filter(({ family }) => family !== preferred)];
}

let ipv6: { at: number; is: boolean } | null = null;

function hasIpv6(): boolean {
  if (ipv6 === null || performance.now() - ipv6.at > 10_000)
    ipv6 = {
      at: performance.now(),
      is: Object.values(networkInterfaces()).some((all) =>
        all?.some(({ family, address }) => family === "IPv6" && /^[23]/.test(address)),
      ),
    };
  return ipv6.is;
}

/**
 * Limits the use of the system's resolver, which holds one of few threads until it has answered and cannot be cancelled: two names at once,
 * and callers that wait longer than the limit get no answer.
 */
function limitSystem(timeLimitMs: number): (name: string) => Promise<Found> {
  const places = createFairSlots(2);
  return async (name) => {
    const late = AbortSignal.timeout(timeLimitMs);
    const release = await places.take(name, late).catch(() => {
      throw nameError("ETIMEOUT", name);
    });
    const asked = new Promise<ResolvedAddress[]>((resolve, reject) => {
      systemLookup(name, { all: true, verbatim: true }, (error, found) => {
        release();
        if (error !== null) reject(error);
        else resolve(found.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 })));
      });
    });
    asked.catch(() => undefined);
    const addresses = await unlessAborted(asked, late).catch((error: unknown) => {
      throw late.aborted ? nameError("ETIMEOUT", name) : error;
    });
    return { addresses, ttlMs: kept.leastMs };
  };
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  aborted.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
