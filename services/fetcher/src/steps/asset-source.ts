import { LRUCache } from "lru-cache";
import { isIP } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Authorization } from "@web-tester/loader/authorization";
import type { LoadedPage, Loader, PageResult } from "@web-tester/loader/page-result";
import { budgets } from "@web-tester/contracts/limits";
import type { Database } from "@web-tester/platform/database/database";
import {
  type AssetClaim,
  claimAsset,
  forgetAsset,
  type KnownAsset,
  knownAssets,
  renewAsset,
} from "@web-tester/records/assets/claim-assets";
import { recordAsset } from "@web-tester/records/assets/record-assets";
import { touchContent } from "@web-tester/records/contents/touch-contents";
import type { Consent } from "@web-tester/platform/egress/address-policy";
import { askerOf, type Names } from "@web-tester/platform/egress/names";
import { createFairSlots } from "@web-tester/platform/lifecycle/fair-slots";
import { during, type CrawlDelay } from "@web-tester/records/hosts/crawl-delay";
import { type HostSemaphore, sharePlaces } from "@web-tester/records/hosts/host-semaphore";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashInSteps } from "@web-tester/platform/object-store/open-object-store";
import { assetExtension } from "@web-tester/replay/asset-type";

export interface AssetSourceDeps {
  db: Database;
  store: ObjectStore;
  loader: Loader;
  names: Pick<Names, "lookup">;
  crawlDelay: CrawlDelay;
  slots: HostSemaphore;
}

/** For whom files are loaded: a page of an object, in one round (its run, or the single snapshot). */
export interface AssetOwner {
  objectId: string;
  round: string;
  consent: Consent | null;
  /** Goes to exactly its origin. */
  authorization: Authorization | null;
  /** Sent with every request. */
  extraHeaders: Record<string, string>;
  /** Whether an address is not to be loaded. */
  isBlocked(url: string): boolean;
  /** Whether a script is kept. */
  wantsScript(url: string): boolean;
  /** The host at which the page's own load holds a place; files of that host are loaded in it, one after the other. */
  host: string;
  requestDelayMs: number;
  /** Ends with the page's time or the service; also bounds waiting for others. */
  signal: AbortSignal;
  /** Waits for the place that the page holds. */
  inPlace<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Files of sites, each loaded once per round by all replicas together. */
export interface AssetSource {
  /** Reads at once what the round knows of some files already. */
  lookUp(owner: AssetOwner, urls: readonly string[]): Promise<void>;
  /** Never rejects for a fault of the site; a missing file says why. @throws AppError unavailable; what the signal was aborted with */
  get(owner: AssetOwner, url: string): Promise<KnownAsset>;
}

/** Files in memory at once, whichever pages want them: each may be 25 MiB. One object never has all places. */
const loadsMax = 8;
const loadsOfOneMax = 6;
const rememberedMax = 20_000;
/** Half of the shortest time for which announced content is safe. */
const touchedForMs = 10 * 60_000;
const lookEveryMs = 150;
/**
 * A claim lasts so long and is renewed while its load goes on, so a worker that died holds up the pages of others no
 * longer than this.
 */
const claimMs = 8_000;
const contentTypeMaxChars = 200;

export function createAssetSource(deps: AssetSourceDeps): AssetSource {
  const { db, store, loader, names, crawlDelay, slots } = deps;
  const known = new LRUCache<string, Promise<KnownAsset>>({ max: rememberedMax });
  const touched = new LRUCache<string, true>({ max: rememberedMax, ttl: touchedForMs });
  const loads = createFairSlots(loadsMax, loadsOfOneMax);
  const keyOf = ({ objectId, round }: AssetOwner, url: string) => `${objectId} ${round} ${url}`;

  /** Keeps the collector away from bytes that a row will refer to. @returns false where they are gone already */
  async function keep(hash: string, size: number): Promise<boolean> {
    if (touched.has(hash)) return true;
    const absent = await touchContent(db, new Map([[hash, size]]));
    if (absent.has(hash)) return false;
    touched.set(hash, true);
    return true;
  }

  async function find(owner: AssetOwner, url: string): Promise<KnownAsset> {
    for (;;) {
      owner.signal.throwIfAborted();
      const claim = await claimAsset(db, { ...owner, url, leaseMs: claimMs });
      if (claim.state === "busy") await wait(lookEveryMs, undefined, { signal: owner.signal });
      else if (claim.state === "claimed") return load(owner, url, claim.earlier);
      else if (claim.asset.hash === null || (await keep(claim.asset.hash, claim.asset.size))) return claim.asset;
      else await forgetAsset(db, owner.objectId, url);
    }
  }

  type Earlier = Extract<AssetClaim, { state: "claimed" }>["earlier"];

  async function load(owner: AssetOwner, url: string, earlier: Earlier): Promise<KnownAsset> {
    const renew = () => renewAsset(db, { ...owner, url, leaseMs: claimMs }).catch(() => undefined);
    const renewing = setInterval(() => void renew(), claimMs / 4);
    try {
      const result = await inTurn(owner, url, () => ask(owner, url, earlier));
      owner.signal.throwIfAborted();
      if (result.kind === "page") return await keepLoaded(owner, url, result);
      if (result.kind === "not-modified" && earlier !== null) return await keepEarlier(owner, url, earlier);
      const error =
        result.kind === "failed" ? result.message : `The server sent nothing that can be kept (${result.kind}).`;
      return await record(owner, { ...missing(url, error), storedSize: 0, etag: null, lastModified: null });
    } catch (error) {
      await forgetAsset(db, owner.objectId, url).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  /** A name is looked up before there is a place, so that one that nobody answers for holds none; what is wrong with it the load says. */
  async function inTurn<Result>(owner: AssetOwner, url: string, work: () => Promise<Result>): Promise<Result> {
    const { hostname } = new URL(url);
    const asked = { owner: askerOf(owner.consent, hostname), signal: owner.signal };
    if (isIP(hostname.replace(/^\[|\]$/g, "")) === 0) await names.lookup(hostname, asked).catch(() => undefined);
    const release = await loads.take(owner.objectId, owner.signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  async function keepLoaded(owner: AssetOwner, url: string, page: LoadedPage): Promise<KnownAsset> {
    const digest = await hashInSteps(page.body);
    const hash = digest.toString("hex");
    const toWrite = await touchContent(db, new Map([[hash, page.body.length]]));
    const storedSize = toWrite.has(hash) ? (await store.write(digest, page.body)).storedSize : 0;
    touched.set(hash, true);
    return record(owner, {
      url,
      baseUrl: page.finalUrl === url ? null : page.finalUrl,
      hash,
      size: page.body.length,
      contentType: (page.contentType ?? "").slice(0, contentTypeMaxChars),
      extension: assetExtension(page.contentType, page.body),
      error: null,
      storedSize,
      etag: oneValue(page.headers["etag"]),
      lastModified: oneValue(page.headers["last-modified"]),
    });
  }

  async function keepEarlier(owner: AssetOwner, url: string, earlier: NonNullable<Earlier>): Promise<KnownAsset> {
    if (earlier.hash === null || !(await keep(earlier.hash, earlier.size))) return load(owner, url, null);
    return record(owner, { ...earlier, storedSize: 0 });
  }

  async function record(owner: AssetOwner, asset: Parameters<typeof recordAsset>[3]): Promise<KnownAsset> {
    await recordAsset(db, owner.objectId, owner.round, asset);
    const { storedSize: _stored, etag: _etag, lastModified: _modified, ...rest } = asset;
    return rest;
  }

  /** One request, and a second one where the first may have failed by chance. */
  async function ask(owner: AssetOwner, url: string, earlier: Earlier): Promise<PageResult> {
    const first = await askOnce(owner, url, earlier);
    if (first.kind !== "failed" || !first.retryable || owner.signal.aborted) return first;
    await wait(Math.min(first.retryAfterMs ?? 500, 5_000), undefined, { signal: owner.signal });
    return askOnce(owner, url, earlier);
  }

  async function askOnce(owner: AssetOwner, url: string, earlier: Earlier): Promise<PageResult> {
    const { host } = new URL(url);
    const request = () => askHost(owner, url, host, earlier);
    if (sharePlaces(host, owner.host)) return owner.inPlace(request);
    const release = await slots.take(host, "asset", () => owner.signal.throwIfAborted());
    try {
      return await request();
    } finally {
      release();
    }
  }

  async function askHost(owner: AssetOwner, url: string, host: string, earlier: Earlier): Promise<PageResult> {
    const delayMs = host === owner.host ? owner.requestDelayMs : 0;
    let entry = await crawlDelay.enter(host, delayMs, owner.signal);
    while (entry.kind === "later") {
      await wait(Math.max(50, entry.waitMs), undefined, { signal: owner.signal });
      entry = await crawlDelay.enter(host, delayMs, owner.signal);
    }
    const result = await during(entry, () =>
      loader.loadPage(
        {
          url,
          accept: "any",
          consent: owner.consent,
          authorization: owner.authorization,
          extraHeaders: owner.extraHeaders,
          maxBytes: budgets.assetMaxBytes,
          conditional: earlier === null ? null : { etag: earlier.etag, lastModified: earlier.lastModified },
        },
        owner.signal,
      ),
    );
    if (result.kind === "failed" && (result.status === 429 || result.status === 503))
      await crawlDelay.push(host, result.retryAfterMs ?? 1_000);
    return result;
  }

  return {
    async lookUp(owner, urls) {
      const unknown = urls.filter((url) => !known.has(keyOf(owner, url)));
      if (unknown.length === 0) return;
      for (const asset of await knownAssets(db, owner.objectId, owner.round, unknown)) {
        if (asset.hash !== null && !(await keep(asset.hash, asset.size))) continue;
        known.set(keyOf(owner, asset.url), Promise.resolve(asset));
      }
    },
    async get(owner, url) {
      const key = keyOf(owner, url);
      for (;;) {
        const seen = known.get(key);
        if (seen === undefined) {
          const finding = find(owner, url);
          known.set(key, finding);
          // what failed for one page's time may work out for another's
          finding.catch(() => known.peek(key) === finding && known.delete(key));
          return finding;
        }
        const asset = await seen.catch(() => null);
        owner.signal.throwIfAborted();
        if (asset !== null && (asset.hash === null || (await keep(asset.hash, asset.size)))) return asset;
        if (known.peek(key) === seen) known.delete(key);
      }
    },
  };
}

/** @param error a sentence for a person */
export function missing(url: string, error: string): KnownAsset {
  return { url, baseUrl: null, hash: null, size: 0, contentType: "", extension: "", error };
}

function oneValue(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value.slice(0, 1_000) : null;
}
