import { setImmediate as nextTurn } from "node:timers/promises";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import { decodeCss } from "@web-tester/html/charset/decode-css";
import { type ListedAsset, listCssAssets, listPageAssets } from "@web-tester/html/replay/list-assets";
import type { Database } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import {
  setStagedFiles,
  type StagedFile,
  type StagedPage,
  stagedPages,
} from "@web-tester/records/imports/staged-files";
import { LRUCache } from "lru-cache";
import type { KeptAnswer, KeptFiles } from "./kept-files.js";
import type { LeftOut } from "./left-out.js";

const pagesAtOnce = 50;
/** Larger pages are not searched for their files, because parsing them would block others: with `filesMax`, 0.1 s of a processor at most. */
const pageMaxBytes = 2 * 1024 * 1024;
/** The most files of a page, and of what it refers to. */
const filesMax = 1_000;
const depthMax = 4;
/** The most stylesheets and frames of one page that are searched: all of them could refer to one another. */
const lookedIntoMax = 200;
/** The most lists in the cache, and the most files in all of them together. */
const listsRemembered = 5_000;
const listedRemembered = 300_000;
const notThere = "The imported archive does not contain this file.";

/** Finds the files that each imported page needs among the answers of its archive, each as it was at the nearest time. */
export async function attachFiles(
  { db, store }: { db: Database; store: Pick<ObjectStore, "read"> },
  importId: string,
  kept: KeptFiles,
  leftOut: LeftOut,
): Promise<void> {
  if (kept.isEmpty) return;
  const named = namesOf(store);

  async function filesOf({ hash, charset, ms, url }: StagedPage): Promise<StagedFile[]> {
    const bytes = await store.read(Buffer.from(hash, "hex"));
    // lets the event loop serve others during a long import
    await nextTurn();
    if (bytes.length > pageMaxBytes) {
      leftOut.add("pages of more than 2 MiB have their text, and not their files", url);
      return [];
    }
    const files = new Map<string, StagedFile>();
    const queue: (ListedAsset & { depth: number })[] = [];
    const queued = new Set([url]);
    const enqueue = (assets: readonly ListedAsset[], depth: number): void => {
      for (const asset of assets) {
        if (queued.has(asset.url)) continue;
        if (queued.size > filesMax) return;
        queued.add(asset.url);
        queue.push({ ...asset, depth });
      }
    };
    enqueue(listPageAssets(decodeAs(bytes, charset), url, "show", filesMax), 0);
    let lookedInto = 0;
    for (const { url: address, kind, depth } of queue) {
      const found = kept.nearest(address, ms);
      files.set(address, stagedFile(address, kind, found));
      if (found === null || depth >= depthMax || (kind !== "stylesheet" && kind !== "document")) continue;
      if (++lookedInto <= lookedIntoMax) enqueue(await named(found, address), depth + 1);
    }
    if (lookedInto > lookedIntoMax)
      leftOut.add(`pages with more than ${lookedIntoMax} style sheets and frames lack the files of the rest`, url);
    return [...files.values()];
  }

  for (let after = 0; ;) {
    const pages = await stagedPages(db, importId, after, pagesAtOnce);
    const rows = [];
    for (const page of pages) rows.push({ record: page.record, assets: await filesOf(page) });
    await setStagedFiles(db, importId, rows);
    const last = pages.at(-1);
    if (last === undefined || pages.length < pagesAtOnce) return;
    after = last.record;
  }
}

function stagedFile(url: string, kind: ListedAsset["kind"], found: KeptAnswer | null): StagedFile {
  if (found === null) return { url, kind, content_type: "", extension: "", error: notThere };
  const { hash, contentType, extension } = found;
  return { url, kind, sha256: hash, content_type: contentType.slice(0, 300), extension };
}

/** Creates a function that lists the files a stored stylesheet or document refers to; lists are cached by content. */
function namesOf(store: Pick<ObjectStore, "read">) {
  const lists = new LRUCache<string, ListedAsset[]>({
    max: listsRemembered,
    maxSize: listedRemembered,
    sizeCalculation: (list) => list.length + 1,
  });
  return async ({ hash, contentType, extension, charset }: KeptAnswer, url: string): Promise<ListedAsset[]> => {
    if (extension !== "css" && extension !== "html") return [];
    const key = `${hash} ${url}`;
    const known = lists.get(key);
    if (known !== undefined) return known;
    const bytes = await store.read(Buffer.from(hash, "hex"));
    await nextTurn();
    const list =
      bytes.length > pageMaxBytes
        ? []
        : extension === "css"
          ? listCssAssets(decodeCss(bytes, contentType), url, filesMax)
          : listPageAssets(decodeAs(bytes, charset), url, "show", filesMax);
    lists.set(key, list);
    return list;
  };
}
