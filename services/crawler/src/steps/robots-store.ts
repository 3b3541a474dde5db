import { coalesceRuns } from "@web-tester/platform/lifecycle/coalesce";
import { LRUCache } from "lru-cache";
import { setTimeout as sleep } from "node:timers/promises";
import { budgets, limits } from "@web-tester/contracts/limits";
import { type Authorization, authorizationOf } from "@web-tester/loader/authorization";
import type { Loader, PageResult } from "@web-tester/loader/page-result";
import { userAgent } from "@web-tester/loader/user-agent";
import type { Database } from "@web-tester/platform/database/database";
import { findRobotsFile, type RobotsFile, robotsUnread, storeRobotsFile } from "@web-tester/records/hosts/robots-files";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import { type Consent, consentFor } from "@web-tester/platform/egress/address-policy";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { type Robots, robotsOf } from "../pure/robots.js";

/** An origin's rules for this crawler; `problem` is a sentence that says why nothing is allowed for now. */
export interface OriginRobots extends Robots {
  problem: string | null;
}

/** The object for whose crawl a robots.txt is read. */
interface RobotsAsker {
  ownOrigin: string;
  /** A suffix that keeps the robots.txt of the object's own origin apart from the one that other objects get (`ownRobots`). */
  robotsAs: string;
  /**
   * Whether the object ignores what robots.txt forbids and the delays it asks for; the sitemaps that it names are read all
   * the same.
   */
  isFree: boolean;
}

/** How an object loads a robots.txt. Consent and credentials are used for its own origin alone. */
export interface RobotsAccess extends RobotsAsker {
  consent: Consent;
  authorization: Authorization | null;
}

/** @param page any address of an object's crawl */
export function robotsAsker(page: ClaimedPage): RobotsAsker {
  return { ownOrigin: new URL(page.objectUrl).origin, robotsAs: page.robotsAs, isFree: page.ignoreRobots };
}

/** @param page any address of an object's crawl */
export function robotsAccess(page: ClaimedPage, secrets: SecretBox): RobotsAccess {
  return {
    ...robotsAsker(page),
    consent: consentFor(new URL(page.objectUrl)),
    authorization: authorizationOf(page, secrets),
  };
}

export interface RobotsStore {
  /**
   * Returns the rules of an origin (`URL.origin`): from memory, else from the database, else loaded. Waits for the network
   * at most once a day per origin, after a server fault once a minute.
   */
  rulesOf(origin: string, access: RobotsAccess): Promise<OriginRobots>;
  /** Returns the rules that bind the object: null, without asking, where none do. */
  bindingOf(origin: string, access: RobotsAccess): Promise<OriginRobots | null>;
  /** Returns the same without waiting; null also where the rules are not in memory. */
  known(origin: string, asker: RobotsAsker): OriginRobots | null;
}

/**
 * The cache key of a robots.txt: an object's own origin is asked with its consent and credentials and kept for it alone;
 * any other origin is asked anonymously, and its answer is shared.
 */
function keyOf(origin: string, { ownOrigin, robotsAs }: RobotsAsker): string {
  return origin === ownOrigin ? origin + robotsAs : origin;
}

/** How long nothing is allowed after a server fault, before it is asked again. */
const faultTtlMs = 60_000;
const memoryMaxMs = 5 * 60_000;
const originsMax = 500;
/** More than is parsed, so that a longer file is cut and not refused. */
const loadMaxBytes = 8 * 1024 * 1024;
const product = userAgent.split("/", 1)[0] ?? userAgent;

/**
 * Creates the cache of robots files for all crawlers: a day in the database, five minutes in memory (RFC 9309 §2.4: at
 * most 24 hours).
 */
export function createRobotsStore(db: Database, loader: Loader, signal: AbortSignal): RobotsStore {
  const memory = new LRUCache<string, OriginRobots>({ max: originsMax });
  const share = coalesceRuns();

  async function find(key: string, origin: string, access: RobotsAccess): Promise<OriginRobots> {
    const known = await findRobotsFile(db, key);
    const { file, rules } = known === null ? await load(key, origin, access) : read(known);
    // a file whose time is over is read again at the next question
    if (file.ttlMs >= 1) memory.set(key, rules, { ttl: Math.min(file.ttlMs, memoryMaxMs) });
    else memory.delete(key);
    return rules;
  }

  async function load(key: string, origin: string, access: RobotsAccess): Promise<Read> {
    const result = await tryLoading(() => loadRobots(loader, origin, access, signal), signal);
    const { file, rules } = read(readRobotsLoad(result));
    const delayMs = Math.min(limits.requestDelayMaxMs, rules.crawlDelayMs ?? 0);
    if (!signal.aborted) await storeRobotsFile(db, key, file, delayMs);
    return { file, rules };
  }

  function rulesOf(origin: string, access: RobotsAccess): Promise<OriginRobots> {
    const key = keyOf(origin, access);
    const rules = memory.get(key);
    if (rules !== undefined) return Promise.resolve(rules);
    return share(key, () => find(key, origin, access));
  }

  return {
    rulesOf,
    bindingOf: (origin, access) => (access.isFree ? Promise.resolve(null) : rulesOf(origin, access)),
    known: (origin, asker) => (asker.isFree ? null : (memory.get(keyOf(origin, asker)) ?? null)),
  };
}

type Read = { file: RobotsFile; rules: OriginRobots };

/** The pauses before a robots.txt is asked for again, as before a page is: one fault would end the crawl of its whole host. */
const retryPausesMs = [1_000, 4_000];
const retryAfterMaxMs = 10_000;

async function tryLoading(load: () => Promise<PageResult>, signal: AbortSignal): Promise<PageResult> {
  let result = await load();
  for (const pauseMs of retryPausesMs) {
    if (result.kind !== "failed" || !result.retryable || signal.aborted) return result;
    const delayMs = Math.max(pauseMs, Math.min(retryAfterMaxMs, result.retryAfterMs ?? 0));
    await sleep(delayMs, undefined, { signal }).catch(() => undefined); // the crawler is stopping
    result = await load();
  }
  return result;
}

/** Consent and credentials are used for the object's own origin alone. */
function loadRobots(loader: Loader, origin: string, access: RobotsAccess, signal: AbortSignal): Promise<PageResult> {
  const isOwn = origin === access.ownOrigin;
  const consent = isOwn ? access.consent : null;
  const authorization = isOwn ? access.authorization : null;
  let redirects = 0;
  const checkRedirect = () =>
    ++redirects > budgets.robotsRedirectsMax
      ? `a robots.txt may redirect at most ${budgets.robotsRedirectsMax} times.`
      : null;
  return loader.loadPage(
    { url: `${origin}/robots.txt`, consent, authorization, accept: "any", maxBytes: loadMaxBytes, checkRedirect },
    signal,
  );
}

function read(file: RobotsFile): Read {
  return { file, rules: { ...robotsOf(file.status, file.body, product), problem: file.problem } };
}

/**
 * Interprets the load of a robots.txt; where no answer came or the server failed, everything is forbidden for a minute,
 * then it is asked again.
 */
function readRobotsLoad(result: PageResult): RobotsFile {
  if (result.kind === "page") {
    // one byte more than is parsed, so that the parser sees that the file was cut
    return {
      status: result.status,
      body: result.body.subarray(0, budgets.robotsMaxBytes + 1),
      problem: null,
      ttlMs: budgets.robotsTtlMs,
    };
  }
  const status =
    result.kind === "failed" &&
    (result.code === "too_many_redirects" || result.code === "out_of_scope" || result.code === "redirect_invalid")
      ? 404
      : result.status;
  const isFault = status === null || status === 429 || status >= 500 || status < 400;
  const why = result.kind === "failed" ? result.message : "It was no text.";
  const problem = isFault
    ? `${robotsUnread}, so nothing of this host may be loaded for now; a crawl that starts in a minute or later asks for it again. ${why}`
    : null;
  return { status, body: Buffer.alloc(0), problem, ttlMs: isFault ? faultTtlMs : budgets.robotsTtlMs };
}
