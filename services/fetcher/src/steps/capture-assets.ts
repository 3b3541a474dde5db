import { LRUCache } from "lru-cache";
import { setTimeout as wait } from "node:timers/promises";
import type { ListedAsset } from "@web-tester/html/replay/list-assets";
import { nestedDepthMax, type ReplayContext } from "@web-tester/html/replay/replay-context";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import type { KnownAsset } from "@web-tester/records/assets/claim-assets";
import type { FinishedAsset } from "@web-tester/records/assets/file-lists";
import { type AssetRow, selectListed } from "@web-tester/records/assets/snapshot-assets";
import type { Database } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { BrowserFiles } from "./browser-files.js";
import { type AssetOwner, type AssetSource, missing } from "./asset-source.js";
import type { PageFiles } from "./page-files.js";
import type { PageReader } from "./page-reader.js";
import {
  blocked,
  isOurs,
  notNamed,
  notReached,
  pageBudget,
  refusalOf,
  refusedBy,
  refusedByPolicy,
  refusingAlike,
  urlMaxChars,
} from "../pure/left-out-files.js";
import { isNamedFile } from "../pure/subresource-integrity.js";

/** A page whose files are to be captured. */
export interface CapturedPage {
  /** SHA-256 of its bytes (hex), and how many they are. */
  hash: string;
  size: number;
  /** Returns its bytes; called only where the files that they name are not known from an earlier capture of the same bytes. */
  read(): Promise<Buffer>;
  /**
   * Checks that the bytes are still stored, where they need not be read.
   * @throws AppError content_missing
   */
  check(): Promise<void>;
  charset: string | null;
  /** The files of an earlier snapshot of the same bytes; null where there is none. */
  before: { listId: string; filesHash: string | null } | null;
  finalUrl: string;
  /** `noscript` is hidden where a browser ran the page's scripts. */
  noscript: ReplayContext["noscript"];
  /** Policies that its server sent with it. */
  policies: readonly string[];
  /** What a browser loaded for it; empty where it was loaded over HTTP. */
  inBrowser: BrowserFiles["found"];
}

export interface CaptureAssets {
  /**
   * Loads the files that a page needs to look right, and those that its stylesheets and nested documents need. Files that
   * a browser loaded for it are taken from there, and those that its scripts asked for are listed too. Files that cannot
   * be loaded, or exceed the budget or the time, are listed with the reason. Where every file of an earlier snapshot of
   * the same bytes is unchanged, the page needs the same files, and nothing is read.
   * @throws AppError unavailable, and what `page.read` and `page.check` throw
   */
  capture(page: CapturedPage, owner: AssetOwner): Promise<PageFiles>;
}

/** Files of one page at once. */
const workers = 6;
/** How many files are listed, some more than may be loaded, so that a person sees that there are more. */
const listedMax = 1_100;
/**
 * The most files that are read from one file: more could not be listed. One more than `listedMax`, for the page itself,
 * which is not counted.
 */
const namedMax = listedMax + 1;
const cssDepthMax = 5;
/** Stylesheets and nested documents whose lists of files are remembered … */
const listsRemembered = 500;
/** … and pages, as long as they name no more files than `rememberedFilesMax`. */
const pagesRemembered = 1_000;
const rememberedFilesMax = 100;
/** Lists of earlier snapshots that are remembered with their rows, and answers whether they are unchanged in a round. */
const earlierRemembered = 200;
const standingRemembered = 10_000;

interface Wanted extends ListedAsset {
  cssDepth: number;
  documentDepth: number;
}

interface CaptureDeps {
  db: Database;
  store: ObjectStore;
  reader: Pick<PageReader, "assets">;
  source: AssetSource;
}

export function createCaptureAssets({ db, store, reader, source }: CaptureDeps): CaptureAssets {
  const stands = createStanding(db, source);
  const lists = new NamedFiles(store, reader);
  return {
    async capture(page, owner) {
      if (page.before !== null && (await stands(page.before.listId, page, owner))) {
        // nothing is read, but content that was lost is noticed here, so that the page is asked for again
        await page.check();
        return { kind: "as-before", ...page.before };
      }
      const read = lists.knows(page) ? null : await page.read();
      if (read === null) await page.check();
      try {
        return { kind: "found", files: await new PageCapture(page, owner, source, lists).run(read) };
      } catch (error) {
        if (error instanceof AppError && error.code === "unavailable") throw error;
        // the page itself is good: a failure of its files never fails it
        const reason =
          error instanceof AppError ? error.message : "Capturing the files of this page failed. Fetch the page again.";
        return { kind: "found", files: [toRow(missing(page.finalUrl, reason), "document")] };
      }
    },
  };
}

/** The files that pages, stylesheets and documents name. */
class NamedFiles {
  readonly #lists = new LRUCache<string, ListedAsset[]>({ max: listsRemembered });
  readonly #pages = new LRUCache<string, ListedAsset[]>({ max: pagesRemembered });
  readonly #named = new LRUCache<string, boolean>({ max: listsRemembered });

  constructor(
    private readonly store: ObjectStore,
    private readonly reader: Pick<PageReader, "assets">,
  ) {}

  knows(page: CapturedPage): boolean {
    return this.#pages.has(keyOf(page));
  }

  /**
   * Returns the files that a page names. They are the same for the same bytes at the same address, so a page that was not
   * modified need not be read.
   */
  async ofPage(objectId: string, page: CapturedPage, bytes: Buffer | null): Promise<ListedAsset[]> {
    const { charset, finalUrl, noscript } = page;
    const known = this.#pages.get(keyOf(page));
    if (known !== undefined || bytes === null) return known ?? [];
    const task = { bytes, charset, baseUrl: finalUrl, noscript, filesMax: namedMax };
    const listed = await this.reader.assets(objectId, { find: "page-assets", ...task });
    if (listed.length <= rememberedFilesMax) this.#pages.set(keyOf(page), listed);
    return listed;
  }

  /** Whether a file is one that a page names by its digests; without digests, every file is. */
  async isNamed({ hash }: KnownAsset, integrity: string | undefined): Promise<boolean> {
    if (hash === null || integrity === undefined) return true;
    const key = `${hash} ${integrity}`;
    const isNamed = this.#named.get(key) ?? isNamedFile(await this.store.read(Buffer.from(hash, "hex")), integrity);
    this.#named.set(key, isNamed);
    return isNamed;
  }

  async ofFile(
    objectId: string,
    found: KnownAsset,
    language: "css" | "html",
    noscript: CapturedPage["noscript"],
  ): Promise<ListedAsset[]> {
    const base = found.baseUrl ?? found.url;
    const key = `${language} ${noscript} ${found.hash ?? ""} ${base}`;
    const seen = this.#lists.get(key);
    if (seen !== undefined) return seen;
    const content = await this.store.read(Buffer.from(found.hash ?? "", "hex"));
    const task = { bytes: content, contentType: found.contentType, baseUrl: base, filesMax: namedMax };
    const list = await this.reader.assets(
      objectId,
      language === "css" ? { find: "css-assets", ...task } : { find: "document-assets", noscript, ...task },
    );
    this.#lists.set(key, list);
    return list;
  }
}

/** Finds and loads the files of one page: those that it names, and those that these name. */
class PageCapture {
  readonly #results = new Map<string, FinishedAsset>();
  readonly #queue: Wanted[] = [];
  readonly #hashes = new Set<string>();
  readonly #isRefused: (asset: Pick<ListedAsset, "url" | "kind">) => boolean;
  #bytes: number;

  constructor(
    private readonly page: CapturedPage,
    private readonly owner: AssetOwner,
    private readonly source: AssetSource,
    private readonly lists: NamedFiles,
  ) {
    this.#bytes = page.size;
    this.#isRefused = refusedBy(page);
  }

  async run(read: Buffer | null): Promise<FinishedAsset[]> {
    const { page, owner, source } = this;
    const { inBrowser } = page;
    const listed = await this.lists.ofPage(owner.objectId, page, read);
    if (listed.length === 0 && inBrowser.size === 0) return [];
    this.#want(listed, 0, 0);
    await source.lookUp(
      owner,
      this.#queue.map(({ url }) => url).filter((url) => !inBrowser.has(url)),
    );
    const take = (asset: Wanted) => this.#take(asset);
    await workThrough(this.#queue, take, owner.signal);
    // files that only a script asked for, and that nothing read so far names
    this.#queue.length = 0;
    this.#want(
      [...inBrowser.values()].filter(({ hash }) => hash !== null),
      cssDepthMax,
      nestedDepthMax,
    );
    await workThrough(this.#queue, take, owner.signal);
    return [...this.#results.values()];
  }

  #want(assets: readonly ListedAsset[], cssDepth: number, documentDepth: number): void {
    const { page, owner } = this;
    const results = this.#results;
    for (const asset of assets) {
      if (results.has(asset.url) || asset.url === page.finalUrl) continue;
      if (asset.kind === "script" && !owner.wantsScript(asset.url)) continue;
      // a frame's document has policies of its own; what a browser loaded they allowed
      const isOfPage = documentDepth === 0 && page.inBrowser.get(asset.url)?.hash == null;
      const refusal = owner.isBlocked(asset.url)
        ? blocked
        : isOfPage && this.#isRefused(asset)
          ? refusedByPolicy
          : refusalOf(asset, results.size);
      if (refusal === null) this.#queue.push({ ...asset, cssDepth, documentDepth });
      if (results.size < listedMax)
        results.set(asset.url, toRow(missing(asset.url, refusal ?? notReached), asset.kind));
    }
  }

  async #take(asset: Wanted): Promise<void> {
    const { page, owner, source } = this;
    const leave = () => void this.#results.set(asset.url, toRow(missing(asset.url, pageBudget), asset.kind));
    if (this.#bytes >= budgets.pageMaxBytes) return leave();
    const loaded = page.inBrowser.get(asset.url) ?? (await source.get(owner, asset.url, asset.kind));
    // a browser itself applied none but the named one
    const isOther = page.noscript === "show" && !(await this.lists.isNamed(loaded, asset.integrity));
    const found = isOther ? missing(asset.url, notNamed) : loaded;
    const isNew = found.hash !== null && !this.#hashes.has(found.hash);
    if (isNew && this.#bytes + found.size > budgets.pageMaxBytes) return leave();
    if (isNew && found.hash !== null) {
      this.#hashes.add(found.hash);
      this.#bytes += found.size;
    }
    this.#results.set(asset.url, toRow(found, asset.kind));
    await this.#lookInto(asset, found);
  }

  async #lookInto(asset: Wanted, found: KnownAsset): Promise<void> {
    if (found.hash === null) return;
    const listOf = (language: "css" | "html") =>
      this.lists.ofFile(this.owner.objectId, found, language, this.page.noscript);
    if (asset.kind === "stylesheet" && extensionOf(found, asset.kind) === "css" && asset.cssDepth < cssDepthMax)
      this.#want(await listOf("css"), asset.cssDepth + 1, asset.documentDepth);
    else if (asset.kind === "document" && found.extension === "html" && asset.documentDepth < nestedDepthMax)
      this.#want(await listOf("html"), 0, asset.documentDepth + 1);
  }
}

function keyOf({ hash, charset, finalUrl, noscript }: CapturedPage): string {
  return `${hash} ${charset} ${noscript} ${finalUrl}`;
}

/**
 * Tells whether all files of an earlier snapshot are unchanged in a round: found out once per list, however many pages
 * have it. The same page with the same stylesheets and documents names the same files, so there can be no others.
 */
function createStanding(
  db: Database,
  source: AssetSource,
): (listId: string, page: CapturedPage, owner: AssetOwner) => Promise<boolean> {
  const earlier = new LRUCache<string, AssetRow[]>({ max: earlierRemembered });
  const standing = new LRUCache<string, Promise<boolean>>({ max: standingRemembered });

  async function find(listId: string, page: CapturedPage, owner: AssetOwner): Promise<boolean> {
    const files = earlier.get(listId) ?? (await selectListed(db, listId));
    if (files.length > rememberedFilesMax) return false;
    earlier.set(listId, files);
    const isRefused = refusedBy(page);
    if (files.some((file) => isRefused(file) !== (file.error === refusedByPolicy))) return false;
    return areAsBefore(files, source, owner);
  }

  return async (listId, page, owner) => {
    const key = `${owner.round} ${listId} ${refusingAlike(page)}`;
    const known = standing.get(key);
    if (known !== undefined) {
      const answer = await known.catch(() => null);
      if (answer !== null) return answer;
    }
    const finding = find(listId, page, owner);
    standing.set(key, finding);
    try {
      return await finding;
    } catch (error) {
      // a check that failed because one page's time was over may succeed for another page
      if (standing.peek(key) === finding) standing.delete(key);
      if (error instanceof AppError && error.code === "unavailable") throw error;
      return false;
    }
  };
}

async function areAsBefore(files: readonly AssetRow[], source: AssetSource, owner: AssetOwner): Promise<boolean> {
  if (files.some(({ url, error }) => isOurs(error) || owner.isBlocked(url) !== (error === blocked))) return false;
  const left = files.filter(({ error }) => error !== blocked && error !== refusedByPolicy);
  await source.lookUp(
    owner,
    left.map(({ url }) => url),
  );
  let isSame = true;
  const look = async () => {
    for (let file = left.pop(); file !== undefined && isSame; file = left.pop())
      if (!isSameFile(file, await source.get(owner, file.url, file.kind))) isSame = false;
  };
  await Promise.all(Array.from({ length: workers }, look));
  return isSame;
}

function isSameFile(before: AssetRow, now: KnownAsset): boolean {
  return (
    before.hash === now.hash &&
    before.base_url === now.baseUrl &&
    before.content_type === now.contentType &&
    before.extension === extensionOf(now, before.kind) &&
    before.error === now.error
  );
}

/** Works until the queue is empty and no worker may add to it; an aborted signal leaves the rest in the queue. */
async function workThrough(
  queue: Wanted[],
  take: (asset: Wanted) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let busy = 0;
  let next = 0;
  async function work(): Promise<void> {
    while (!signal.aborted) {
      const asset = queue[next];
      if (asset === undefined) {
        if (busy === 0) return;
        await wait(5);
        continue;
      }
      next += 1;
      busy += 1;
      try {
        await take(asset);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        busy -= 1;
      }
    }
  }
  await Promise.all(Array.from({ length: workers }, work));
}

/**
 * Returns the extension that a file is stored under: a script is a text, whatever type its server gives it, and a
 * stylesheet without a type is CSS, as in browsers.
 */
function extensionOf({ hash, extension, contentType }: KnownAsset, kind: string): string {
  if (hash === null) return extension;
  if (kind === "script") return "txt";
  return kind === "stylesheet" && contentType === "" ? "css" : extension;
}

function toRow(asset: KnownAsset, kind: string): FinishedAsset {
  return {
    url: asset.url.slice(0, urlMaxChars),
    base_url: asset.baseUrl,
    kind,
    hash: asset.hash,
    content_type: asset.contentType,
    extension: extensionOf(asset, kind),
    error: asset.error,
  };
}
