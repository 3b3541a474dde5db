import { coalesceRuns } from "@web-tester/platform/lifecycle/coalesce";
import { LRUCache } from "lru-cache";
import { hash as digest } from "node:crypto";
import { resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import { Piscina } from "piscina";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { isPlainText, type PageTask, type ReplayFile, replayText, type ReplayTask } from "./replay-task.js";
import type { AssetRow } from "@web-tester/records/assets/snapshot-assets";

/** The files and settings that a stored page is shown with. */
interface ReplayAssets {
  store: ObjectStore;
  /** All files of the snapshot. */
  assets: readonly AssetRow[];
  /** `hide` where a browser loaded the page: its content for readers without scripts would be a second copy. */
  noscript: PageTask["noscript"];
  /** Policies that its server sent with it, where it is kept as it was sent: what they refused is not shown. */
  policies?: readonly string[] | undefined;
  /** Pictures are chosen for this window; left out: the browser that shows the page chooses, by a window and screen of its own. */
  window?: PageTask["window"];
  /** Returns the address that a browser loads a file from; null where it is missing. */
  address(asset: AssetRow): string | null;
}

/** A stored page. */
interface ReplaySource {
  /** The cache key: pages with equal keys and equal files are made once. */
  key: string;
  /** The address that the page was found at. */
  baseUrl: string;
  /** Returns its bytes; called only where the result is not cached. */
  read(): Promise<Pick<PageTask, "bytes" | "charset" | "marks">>;
}

/**
 * Turns stored pages and stylesheets into what a browser is shown. A page of 10 MiB takes seconds, so large ones are made
 * in worker threads; recent results are cached, and concurrent requests for the same result share it.
 */
export interface Replayer {
  /**
   * Returns a page as HTML in UTF-8 (`rewriteForReplay`) with the stored copies of its files.
   * @throws AppError content_missing, content_damaged; unavailable where it takes too long, or too many are being made
   */
  page(source: ReplaySource, replay: ReplayAssets): Promise<Buffer>;
  /** Returns a stylesheet that refers to the stored copies of its files. @throws AppError as `page` */
  stylesheet(
    row: AssetRow,
    replay: Pick<ReplayAssets, "assets" | "address">,
    read: () => Promise<Buffer>,
  ): Promise<Buffer>;
  close(): Promise<void>;
}

export interface ReplayerOptions {
  /** The time for a task in a worker thread, waiting in the queue included. */
  deadlineMs?: number;
  /** The most bytes in the cache. */
  keptMaxBytes?: number;
  /** The compiled worker, where it is not beside this file. */
  workerFile?: string;
}

/** The most bytes that are processed in place: the slowest page known takes 15 ms, an ordinary one less than 2 ms. */
const hereMaxBytes = 64 * 1024;
/** The most bytes of nested documents and sprites of one page; those beyond stay empty. */
const nestedMaxBytes = 20 * 1024 * 1024;
/** The share of the cache that one page may take. */
const keptShare = 1 / 2;
const threadsMax = 2;
const waitingMax = 64;
/** How long a failure is remembered: each further attempt would take a thread for the whole deadline. */
const failureKeptMs = 60_000;
const failuresMax = 1_000;

export function createReplayer({
  deadlineMs = 30_000,
  keptMaxBytes = 64 * 1024 * 1024,
  workerFile = resolve(import.meta.dirname, "replay-worker.js"),
}: ReplayerOptions = {}): Replayer {
  const pool = new Piscina({
    filename: workerFile,
    minThreads: 0,
    maxThreads: threadsMax,
    maxQueue: waitingMax,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32 },
  });
  const kept = new LRUCache<string, Buffer>({
    maxSize: keptMaxBytes,
    maxEntrySize: keptMaxBytes * keptShare,
    sizeCalculation: (text) => Math.max(1, text.length),
  });
  const share = coalesceRuns();
  const failures = new LRUCache<string, AppError>({ max: failuresMax, ttl: failureKeptMs });

  async function make(task: ReplayTask, key: string): Promise<Buffer> {
    if (sizeOf(task) <= hereMaxBytes) return Buffer.from(replayText(task));
    try {
      const made: unknown = await pool.run(task, { signal: AbortSignal.timeout(deadlineMs) });
      if (!(made instanceof Uint8Array)) throw new TypeError("The worker gave no bytes");
      return Buffer.from(made.buffer, made.byteOffset, made.byteLength);
    } catch (cause) {
      if (isFull(cause))
        throw new AppError(
          "unavailable",
          "Too many large pages are being prepared to be shown at the moment. Try again in a few seconds.",
          { cause },
        );
      const error = new AppError(
        "unavailable",
        `This page takes more than ${deadlineMs / 1_000} s, or too much memory, to be prepared to be shown, and was given up. Look at its HTML instead.`,
        { cause },
      );
      failures.set(key, error);
      throw error;
    }
  }

  function once(parts: readonly unknown[], task: () => Promise<ReplayTask>): Promise<Buffer> {
    const key = digest("sha256", JSON.stringify(parts));
    const known = kept.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const failed = failures.get(key);
    if (failed !== undefined) return Promise.reject(failed);
    return share(key, async () => {
      const made = await make(await task(), key);
      kept.set(key, made);
      return made;
    });
  }

  return {
    page({ key, baseUrl, read }, { store, assets, noscript, policies, window, address }) {
      const files = assets.map((asset) => toFile(asset, address));
      const names = assets.map(({ hash, error }, index) => [
        files[index]?.url,
        files[index]?.address,
        hash,
        error !== null,
      ]);
      return once(["page", key, baseUrl, noscript, policies, window, names], async () => {
        const [source, whole] = await Promise.all([read(), withNested(store, assets, files)]);
        return { kind: "page", ...source, baseUrl, noscript, policies, window, files: whole };
      });
    },

    stylesheet(row, { assets, address }, read) {
      const files = assets.map((asset) => ({ url: asset.url, address: address(asset) }));
      const baseUrl = row.base_url ?? row.url;
      const names = files.map(({ url, address: at }) => [url, at]);
      return once(["style", row.hash, row.content_type, baseUrl, names], async () => ({
        kind: "style",
        bytes: await read(),
        contentType: row.content_type,
        baseUrl,
        files,
      }));
    },

    // not `close`, which waits for running tasks
    close: () => pool.destroy(),
  };
}

function toFile(asset: AssetRow, address: ReplayAssets["address"]): ReplayFile {
  const { url, base_url, extension, error } = asset;
  return { url, baseUrl: base_url ?? url, address: address(asset), extension, isRefused: error !== null, nested: null };
}

/** Returns the files, with the bytes of nested documents and sprites. */
async function withNested(
  store: ObjectStore,
  assets: readonly AssetRow[],
  files: readonly ReplayFile[],
): Promise<ReplayFile[]> {
  const whole: ReplayFile[] = [];
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const asset = assets[index];
    const isWanted =
      (asset?.kind === "document" && (file.extension === "html" || isPlainText(file.extension, asset.content_type))) ||
      (asset?.kind === "sprite" && file.extension === "svg");
    if (asset === undefined || asset.hash === null || !isWanted || bytes + asset.bytes > nestedMaxBytes) {
      whole.push(file);
      continue;
    }
    bytes += asset.bytes;
    const nested = { bytes: await store.read(Buffer.from(asset.hash, "hex")), contentType: asset.content_type };
    whole.push({ ...file, nested });
  }
  return whole;
}

function sizeOf(task: ReplayTask): number {
  if (task.kind === "style") return task.bytes.length;
  return task.files.reduce((sum, { nested }) => sum + (nested?.bytes.length ?? 0), task.bytes.length);
}

/** Whether the queue is full: Piscina marks this error by its message alone. */
function isFull(error: unknown): boolean {
  return error instanceof Error && /queue/i.test(error.message);
}
