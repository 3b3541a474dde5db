import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { hostname } from "node:os";

/** How this system resolves host names (resolver(5), nsswitch.conf(5), hosts(5)). */
export interface NameSettings {
  /** Addresses by lower-case name, as the hosts file lists them. */
  hosts: ReadonlyMap<string, readonly string[]>;
  /** IP addresses of name servers, in the order in which they are asked; with a port when it is not 53. */
  servers: readonly string[];
  /** Whether each lookup begins with the next server of the list. */
  rotates: boolean;
  /** Search domains, which are appended to short names. */
  search: readonly string[];
  /** Names with fewer dots than this are tried in the search domains first. */
  ndots: number;
  /** First timeout of one server; null: not configured. */
  timeoutMs: number | null;
  /** How many times each server is asked; null: not configured. */
  attempts: number | null;
  /** Sources besides hosts file and DNS, for example mdns4_minimal or myhostname, that only the system's own resolver can query. */
  others: readonly string[];
}

/** The files that hold the settings. */
export interface NameFiles {
  hosts: string;
  resolv: string;
  nsswitch: string;
}

export const systemFiles: NameFiles = {
  hosts: "/etc/hosts",
  resolv: "/etc/resolv.conf",
  nsswitch: "/etc/nsswitch.conf",
};

const lookEveryMs = 2_000;
/** The limits of glibc. */
const most = { servers: 3, ndots: 15, timeoutS: 30, attempts: 5 };
const askedHere = new Set(["files", "dns", "resolve"]);

/**
 * Reads the settings, and rereads them when a file has changed; files are checked at most every two seconds.
 * @returns a function that returns the current settings; null on systems without a name server file, such as Windows
 */
export function watchNameSettings(files: NameFiles = systemFiles): () => Promise<NameSettings | null> {
  let lookedAt = -Infinity;
  let seen = "";
  let current: Promise<NameSettings | null> = Promise.resolve(null);

  async function look(before: Promise<NameSettings | null>): Promise<NameSettings | null> {
    const versions = await Promise.all([files.hosts, files.resolv, files.nsswitch].map(versionOf));
    const found = versions.join(" ");
    if (found === seen) return before;
    seen = found;
    const [hosts, resolv, nsswitch] = await Promise.all([
      readFile(files.hosts, "utf8").catch(() => ""),
      readFile(files.resolv, "utf8").catch(() => null),
      readFile(files.nsswitch, "utf8").catch(() => null),
    ]);
    if (resolv === null) return null;
    return { hosts: parseHosts(hosts), ...parseResolv(resolv, process.env, hostname()), others: othersIn(nsswitch) };
  }

  return () => {
    if (performance.now() - lookedAt >= lookEveryMs) {
      lookedAt = performance.now();
      const before = current;
      current = look(before).catch(() => before);
    }
    return current;
  };
}

async function versionOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found === null ? "-" : `${found.ino}:${found.size}:${found.mtimeMs}`;
}

/** @returns addresses by lower-case name, in the order of the file */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*$/, "").trim().split(/\s+/);
    if (isIP(address) === 0 || address.includes("%")) continue;
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, "");
      const known = hosts.get(key) ?? [];
      if (!known.includes(address)) known.push(address);
      hosts.set(key, known);
    }
  }
  return hosts;
}

/** Parses /etc/resolv.conf, and the environment variables that override parts of it. */
export function parseResolv(
  text: string,
  env: NodeJS.ProcessEnv,
  ownName: string,
): Omit<NameSettings, "hosts" | "others"> {
  const servers: string[] = [];
  const domain = ownName.split(".").slice(1).join(".");
  let search = domain === "" ? [] : [domain];
  let options: string[] = [];
  for (const line of text.split("\n")) {
    const [word = "", ...values] = line
      .replace(/[#;].*$/, "")
      .trim()
      .split(/\s+/);
    const [first = ""] = values;
    if (word === "nameserver" && isIP(first) !== 0 && servers.length < most.servers) servers.push(first);
    else if (word === "search" && values.length > 0) search = values;
    else if (word === "domain" && first !== "") search = [first];
    else if (word === "options") options.push(...values);
  }
  if (env["LOCALDOMAIN"]) search = env["LOCALDOMAIN"].trim().split(/\s+/);
  if (env["RES_OPTIONS"]) options = [...options, ...env["RES_OPTIONS"].trim().split(/\s+/)];
  const value = (name: string, least: number, max: number) => {
    const found = options.findLast((option) => option.startsWith(`${name}:`))?.slice(name.length + 1) ?? "";
    return /^\d{1,4}$/.test(found) ? Math.min(max, Math.max(least, Number(found))) : null;
  };
  const timeoutS = value("timeout", 1, most.timeoutS);
  return {
    servers: servers.length === 0 ? ["127.0.0.1"] : servers,
    rotates: options.includes("rotate"),
    search: search.map((each) => each.toLowerCase().replace(/^\.+|\.+$/g, "")).filter((each) => each !== ""),
    ndots: value("ndots", 0, most.ndots) ?? 1,
    timeoutMs: timeoutS === null ? null : timeoutS * 1_000,
    attempts: value("attempts", 1, most.attempts),
  };
}

function othersIn(nsswitch: string | null): string[] {
  const line = nsswitch?.split("\n").find((each) => /^\s*hosts\s*:/.test(each));
  if (line === undefined) return [];
  const sources = line
    .replace(/#.*$/, "")
    .replace(/^[^:]*:/, "")
    .replace(/\[[^\]]*\]/g, " ");
  return sources.split(/\s+/).filter((source) => source !== "" && !askedHere.has(source));
}

/** Returns the full names that a name may stand for, in the order in which they are tried. */
export function candidatesFor(name: string, { search, ndots }: Pick<NameSettings, "search" | "ndots">): string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const searched = search.map((domain) => `${name}.${domain}`).filter((each) => each.length <= 253);
  const dots = name.split(".").length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
