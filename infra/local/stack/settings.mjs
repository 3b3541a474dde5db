// @ts-check
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { StartError } from "./start-error.mjs";

/** The folder of the checkout. */
export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

/**
 * @typedef {object} Settings
 * @property {string} host
 * @property {number} port 0: any free one
 * @property {string} dataDir
 * @property {string | undefined} databaseUrl undefined: embedded
 * @property {string | undefined} natsUrl undefined: embedded
 * @property {string | undefined} storageUrl undefined: a folder in `dataDir`
 * @property {string | undefined} secretKey undefined: generated once
 * @property {{ crawler: number, fetcher: number, differ: number }} processes how many of each
 */

/** @typedef {Record<string, string | undefined>} Env */

/** @typedef {{ variable: string, message: string }} Fault what is wrong with a variable, in words that name it */

/**
 * Reads the settings of the stack itself; the services read theirs.
 * @param {Env} env
 * @param {readonly Fault[]} [ofServices] the services' own findings, to be reported with the rest
 * @returns {Settings}
 * @throws {StartError} naming every faulty setting
 */
export function readSettings(env, ofServices = []) {
  /** @type {Map<string, string>} by the variable */
  const faults = new Map(ofServices.map(({ variable, message }) => [variable, message]));
  /** @param {string} name */
  const text = (name) => env[name]?.trim() || undefined;
  /** @param {string} name @param {number} fallback @param {number} least @param {number} most */
  const whole = (name, fallback, least, most) => {
    const value = text(name);
    if (value === undefined) return fallback;
    if (/^\d{1,6}$/.test(value) && Number(value) >= least && Number(value) <= most) return Number(value);
    faults.set(name, `${name} must be a whole number from ${least} to ${most}, not "${value}"`);
    return fallback;
  };
  /** @param {string} name @param {string[]} schemes @param {string} example */
  const url = (name, schemes, example) => {
    const value = text(name);
    const first = value?.split(",")[0]?.trim();
    if (first !== undefined && !(URL.canParse(first) && schemes.includes(new URL(first).protocol)))
      faults.set(name, `${name} must be an address such as ${example}`);
    return value;
  };
  const settings = {
    host: text("HOST") ?? "127.0.0.1",
    port: whole("PORT", 8080, 0, 65_535),
    dataDir: resolve(projectRoot, text("DATA_DIR") ?? "data"),
    databaseUrl: url("DATABASE_URL", ["postgres:", "postgresql:"], "postgres://user:password@host:5432/database"),
    natsUrl: url("NATS_URL", ["nats:", "tls:"], "nats://host:4222"),
    storageUrl: url("STORAGE_URL", ["file:", "s3:"], "s3://bucket?endpoint=https://host:9000&region=us-east-1"),
    secretKey: text("SECRET_KEY"),
    processes: {
      crawler: whole("CRAWLERS", 1, 0, 64),
      fetcher: whole("FETCHERS", 1, 0, 64),
      differ: whole("DIFFERS", 1, 0, 64),
    },
  };
  if (faults.size > 0) throw new StartError(`Wrong settings: ${[...faults.values()].join("; ")}.`);
  return settings;
}

/**
 * A host as it is written in a URL; 0.0.0.0 and :: are replaced by loopback.
 * @param {string} host
 */
export function reachableHost(host) {
  if (host === "0.0.0.0" || host === "::") return host === "::" ? "[::1]" : "127.0.0.1";
  return isIP(host) === 6 ? `[${host}]` : host;
}

/**
 * Whether only this machine can reach a host.
 * @param {string} host as in a URL or a setting
 */
export function isLoopback(host) {
  return host === "localhost" || host === "::1" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}

/**
 * Returns a URL without user, password and query, for messages.
 * @param {string} url
 */
export function withoutPassword(url) {
  if (!URL.canParse(url)) return "(not an address)";
  const shown = new URL(url);
  shown.password = "";
  shown.username = "";
  shown.search = "";
  return shown.href;
}
