import { LRUCache } from "lru-cache";
import { isIP } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Authorization } from "@web-tester/loader/authorization";
import type { LoadedPage, Loader, PageResult } from "@web-tester/loader/page-result";
import { budgets } from "@web-tester/contracts/limits";
import type { Database } from "@web-tester/platform/database/database";
import {
  type EarlierAsset,
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
import { isWholeFileDue } from "../pure/conditional.js";
import { FileTime, fileDeadlineMs } from "../pure/file-time.js";
import { refusesFrames } from "../pure/refuses-frames.js";
import { assetExtension } from "@web-tester/replay/asset-type";

export interface AssetSourceDeps {
  db: Database;
  store: ObjectStore;
  loader: Loader;
  names: Pick<Names, "lookup">;
  crawlDelay: CrawlDelay;
  slots: HostSemaphore;
}

/** Whom files are loaded for: a page of an object, in one round (its run, or the single snapshot). */
export interface AssetOwner {
  objectId: string;
  round: string;
  consent: Consent | null;
  /** Sent to exactly its own origin. */
  authorization: Authorization | null;
  /** Sent with every request. */
  extraHeaders: Record<string, string>;
  /** Whether an address is not to be loaded. */
  isBlocked(url: string): boolean;
  /** Whether a script is kept. */
  wantsScript(url: string): boolean;
  /** Where the page was found, whose frames show the documents among its files. */
  pageUrl: string;
  /** The host at which the page's own load holds a place; files of that host are loaded in it, one after the other. */
  host: string;
  requestDelayMs: number;
  /** Aborted when the page's time is over or the service stops; also bounds waiting for other pages' loads. */
  signal: AbortSignal;
  /** Runs work in the place that the page holds at its host, once that is free. */
  inPlace<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Whether other files wait for that place. */
  isPlaceAwaited(): boolean;
}

/** The files of sites, each loaded once per round by all replicas together. */
export interface AssetSource {
  /** Reads in one query what is already known in the round of some files. */
  lookUp(owner: AssetOwner, urls: readonly string[]): Promise<void>;
  /**
   * Returns a file; a missing one says why, as faults of the site never reject. A picture or a document of a frame that came with the status of an
   * error has both its bytes and that error, since browsers show it. @throws AppError unavailable; the reason that the signal was aborted with
   */
  get(owner: AssetOwner, url: string, kind: string): Promise<KnownAsset>;
}

/** Files in memory at once, whichever pages want them: each may be 25 MiB. One object never takes all places. */
const loadsMax = 8;
const loadsOfOneMax = 6;
const rememberedMax = 20_000;
/** Half of the shortest time for which announced content is safe from garbage collection. */
const touchedForMs = 10 * 60_000;
const lookEveryMs = 150;
/**
 * How long a claim lasts. It is renewed while its load goes on, so a worker that died delays other workers' pages no
 * longer than this.
 */
const claimMs = 8_000;
const contentTypeMaxChars = 200;

export function createAssetSource(deps: AssetSourceDeps): AssetSource {
  return new SharedAssets(deps);
}

/** Somebody who wants a file for a purpose: the first one in a round decides what is kept of an answer that refuses it. */
interface Asker extends AssetOwner {
  kind: string;
}

type Earlier = EarlierAsset | null;

const keyOf = ({ objectId, round }: AssetOwner, url: string) => `${objectId} ${round} ${url}`;

class SharedAssets implements AssetSource {
  readonly #known = new LRUCache<string, Promise<KnownAsset>>({ max: rememberedMax });
  readonly #touched = new LRUCache<string, true>({ max: rememberedMax, ttl: touchedForMs });
  readonly #loads = createFairSlots(loadsMax, loadsOfOneMax);

  constructor(private readonly deps: AssetSourceDeps) {}

  async lookUp(owner: AssetOwner, urls: readonly string[]): Promise<void> {
    const { db } = this.deps;
    const unknown = urls.filter((url) => !this.#known.has(keyOf(owner, url)));
    if (unknown.length === 0) return;
    for (const asset of await knownAssets(db, owner.objectId, owner.round, unknown)) {
      if (asset.hash !== null && !(await this.#keep(asset.hash, asset.size))) continue;
      this.#known.set(keyOf(owner, asset.url), Promise.resolve(asset));
    }
  }

  async get(owner: AssetOwner, url: string, kind: string): Promise<KnownAsset> {
    const key = keyOf(owner, url);
    for (;;) {
      const seen = this.#known.get(key);
      if (seen === undefined) {
        const finding = this.#find({ ...owner, kind }, url);
        this.#known.set(key, finding);
        // a load that failed because one page's time was over may succeed for another page
        finding.catch(() => this.#known.peek(key) === finding && this.#known.delete(key));
        return finding;
      }
      const asset = await seen.catch(() => null);
      owner.signal.throwIfAborted();
      if (asset !== null && (asset.hash === null || (await this.#keep(asset.hash, asset.size)))) return asset;
      if (this.#known.peek(key) === seen) this.#known.delete(key);
    }
  }

  async #find(owner: Asker, url: string): Promise<KnownAsset> {
    const { db } = this.deps;
    for (;;) {
      owner.signal.throwIfAborted();
      const claim = await claimAsset(db, { ...owner, url, leaseMs: claimMs });
      if (claim.state === "busy") await wait(lookEveryMs, undefined, { signal: owner.signal });
      else if (claim.state === "claimed") return this.#load(owner, url, claim.earlier);
      else if (claim.asset.hash === null || (await this.#keep(claim.asset.hash, claim.asset.size))) return claim.asset;
      else await forgetAsset(db, owner.objectId, url);
    }
  }

  async #load(owner: Asker, url: string, earlier: Earlier): Promise<KnownAsset> {
    const { db } = this.deps;
    const renew = () => renewAsset(db, { ...owner, url, leaseMs: claimMs }).catch(() => undefined);
    const renewing = setInterval(() => void renew(), claimMs / 4);
    try {
      const isDue = earlier?.isOfEarlierDay === true && isWholeFileDue(owner.round, url);
      const result = await this.#inTurn(owner, url, () => this.#ask(owner, url, isDue ? null : earlier));
      owner.signal.throwIfAborted();
      const answer = answeredFile(result);
      const refusal = answer === null ? null : frameRefusal(owner, answer);
      if (answer !== null && refusal === null) return await this.#keepLoaded(owner, url, answer);
      if (isUnchanged(result) && earlier !== null) return await this.#keepEarlier(owner, url, earlier);
      const error =
        refusal ??
        (result.kind === "failed" ? result.message : `The server sent nothing that can be kept (${result.kind}).`);
      return await this.#record(owner, { ...missing(url, error), storedSize: 0, etag: null, lastModified: null });
    } catch (error) {
      await forgetAsset(db, owner.objectId, url).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  /** Protects bytes that a row will refer to from garbage collection. @returns false where they are already gone */
  async #keep(hash: string, size: number): Promise<boolean> {
    const { db } = this.deps;
    if (this.#touched.has(hash)) return true;
    const absent = await touchContent(db, new Map([[hash, size]]));
    if (absent.has(hash)) return false;
    this.#touched.set(hash, true);
    return true;
  }

  async #keepLoaded(owner: AssetOwner, url: string, page: AnsweredFile): Promise<KnownAsset> {
    const { db, store } = this.deps;
    const digest = await hashInSteps(page.body);
    const hash = digest.toString("hex");
    const toWrite = await touchContent(db, new Map([[hash, page.body.length]]));
    const storedSize = toWrite.has(hash) ? (await store.write(digest, page.body)).storedSize : 0;
    this.#touched.set(hash, true);
    return this.#record(owner, {
      url,
      baseUrl: page.finalUrl === url ? null : page.finalUrl,
      hash,
      size: page.body.length,
      contentType: (page.contentType ?? "").slice(0, contentTypeMaxChars),
      extension: assetExtension(page.contentType, page.body),
      error: page.error,
      storedSize,
      // the validators of an answer that refuses a file are not of the file
      etag: page.error === null ? oneValue(page.headers["etag"]) : null,
      lastModified: page.error === null ? oneValue(page.headers["last-modified"]) : null,
    });
  }

  async #keepEarlier(owner: Asker, url: string, earlier: EarlierAsset): Promise<KnownAsset> {
    if (earlier.hash === null || !(await this.#keep(earlier.hash, earlier.size))) return this.#load(owner, url, null);
    return this.#record(owner, { ...earlier, storedSize: 0 });
  }

  async #record(owner: AssetOwner, asset: Parameters<typeof recordAsset>[3]): Promise<KnownAsset> {
    const { db } = this.deps;
    await recordAsset(db, owner.objectId, owner.round, asset);
    const { storedSize: _stored, etag: _etag, lastModified: _modified, ...rest } = asset;
    return rest;
  }

  /**
   * Runs work in one of the places for files. The host's name is looked up before, so that a name whose server does not
   * answer holds no place; its error is reported by the load.
   */
  async #inTurn<Result>(owner: AssetOwner, url: string, work: () => Promise<Result>): Promise<Result> {
    const { names } = this.deps;
    const { hostname } = new URL(url);
    const asked = { owner: askerOf(owner.consent, hostname), signal: owner.signal };
    if (isIP(hostname.replace(/^\[|\]$/g, "")) === 0) await names.lookup(hostname, asked).catch(() => undefined);
    const release = await this.#loads.take(owner.objectId, owner.signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Makes one request, and a second one where the first may have failed by chance. A file that took its whole time does
   * not get it again, unless this process was stopped meanwhile.
   */
  async #ask(owner: Asker, url: string, earlier: Earlier): Promise<PageResult> {
    const isOwn = sharePlaces(new URL(url).host, owner.host);
    // files of other hosts always delay others, in the places that all files share
    const timeOfOne = () => new FileTime(() => !isOwn || owner.isPlaceAwaited());
    const time = timeOfOne();
    const first = await this.#askOnce(owner, url, earlier, time);
    if (first.kind !== "failed" || !first.retryable || owner.signal.aborted) return first;
    if (first.code === "timed_out" && !time.wasStopped) return first;
    await wait(Math.min(first.retryAfterMs ?? 500, 5_000), undefined, { signal: owner.signal });
    return this.#askOnce(owner, url, earlier, timeOfOne());
  }

  async #askOnce(owner: Asker, url: string, earlier: Earlier, time: FileTime): Promise<PageResult> {
    const { slots } = this.deps;
    const { host } = new URL(url);
    const request = () => this.#askHost(owner, url, host, earlier, time);
    if (sharePlaces(host, owner.host)) return owner.inPlace(request);
    const release = await slots.take(host, "asset", () => owner.signal.throwIfAborted());
    try {
      return await request();
    } finally {
      release();
    }
  }

  async #askHost(owner: Asker, url: string, host: string, earlier: Earlier, time: FileTime): Promise<PageResult> {
    const { loader, crawlDelay } = this.deps;
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
          showsRefused: owner.kind === "image" || owner.kind === "document" ? owner.kind : undefined,
          consent: owner.consent,
          authorization: owner.authorization,
          extraHeaders: owner.extraHeaders,
          maxBytes: budgets.assetMaxBytes,
          deadlineMs: fileDeadlineMs,
          moreTime: (progress) => time.more(progress),
          conditional: earlier === null ? null : { etag: earlier.etag, lastModified: earlier.lastModified },
        },
        owner.signal,
      ),
    );
    if (result.kind === "failed" && (result.status === 429 || result.status === 503))
      await crawlDelay.push(host, result.retryAfterMs ?? 1_000);
    return result;
  }
}

/** Some servers answer 304 also where nothing was asked conditionally. */
const isUnchanged = (result: PageResult) =>
  result.kind === "not-modified" || (result.kind === "failed" && result.status === 304);

/** What came for a file. `error`: where it came with the status of one. */
type AnsweredFile = Pick<LoadedPage, "body" | "contentType" | "headers" | "finalUrl"> & { error: string | null };

function answeredFile(result: PageResult): AnsweredFile | null {
  if (result.kind === "page") return { ...result, error: null };
  if (result.kind !== "failed" || result.refused === undefined) return null;
  return { ...result, ...result.refused, error: result.message };
}

/** Of documents among files, which are all of frames: browsers show nothing of one that wants to be in none. */
function frameRefusal({ pageUrl }: AssetOwner, { contentType, headers, finalUrl }: AnsweredFile): string | null {
  const reason = isHtml(contentType) ? refusesFrames(headers, finalUrl, pageUrl) : null;
  return reason === null ? null : `Its server lets no frame of this page show it (${reason}), so nobody saw it.`;
}

const isHtml = (contentType: string | null): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)/i.test(contentType ?? "");

/** @param error a sentence for a person */
export function missing(url: string, error: string): KnownAsset {
  return { url, baseUrl: null, hash: null, size: 0, contentType: "", extension: "", error };
}

function oneValue(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value.slice(0, 1_000) : null;
}
