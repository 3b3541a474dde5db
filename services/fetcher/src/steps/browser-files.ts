import { budgets } from "@web-tester/contracts/limits";
import type { AssetKind } from "@web-tester/html/links/asset-kind";
import type { LoadedResource, ResourceListener } from "@web-tester/loader/page-result";
import type { Database } from "@web-tester/platform/database/database";
import type { KnownAsset } from "@web-tester/records/assets/claim-assets";
import { markStored } from "@web-tester/records/contents/stored-contents";
import { touchContent } from "@web-tester/records/contents/touch-contents";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashInSteps } from "@web-tester/platform/object-store/open-object-store";
import { assetExtension } from "@web-tester/replay/asset-type";
import { missing } from "./asset-source.js";

/** A file that the browser loaded for a page, whose bytes are stored and announced. */
export interface BrowserFile extends KnownAsset {
  kind: AssetKind;
}

/**
 * The files that the browser loaded while it showed one page. Their bytes go into the store as they arrive; only their
 * descriptions stay in memory.
 */
export interface BrowserFiles {
  take: ResourceListener;
  /** The files by the address that the page asked for. Those that could not be stored are missing here. */
  found: ReadonlyMap<string, BrowserFile>;
}

const filesMax = 1_000;
const urlMaxChars = 2_000;
const contentTypeMaxChars = 200;

/** The kinds of files that decide how a page looks, and scripts; what scripts load for themselves (such as JSON) is left out. */
const kinds: Readonly<Record<string, AssetKind>> = {
  stylesheet: "stylesheet",
  image: "image",
  media: "media",
  font: "font",
  document: "document",
  script: "script",
};

export function createBrowserFiles({ db, store }: { db: Database; store: ObjectStore }): BrowserFiles {
  const found = new Map<string, BrowserFile>();
  let bytes = 0;

  return {
    found,
    async take(asked) {
      const kind = Object.hasOwn(kinds, asked.wantedAs) ? kinds[asked.wantedAs] : undefined;
      const resource = { ...asked, url: plain(asked.url), finalUrl: plain(asked.finalUrl) };
      const { url, body } = resource;
      if (kind === undefined || url.length > urlMaxChars || found.size >= filesMax) return;
      // a file that was asked for twice: the load that succeeded counts
      if (found.get(url)?.error === null) return;
      // a part of a video; the load over HTTP gets all of it
      if (resource.status === 206) return;
      if (body === null) {
        if (isFinal(resource.status))
          found.set(url, { ...missing(url, resource.error ?? "It could not be loaded."), kind });
        return;
      }
      if (bytes + body.length > budgets.pageMaxBytes) return;
      bytes += body.length;
      found.set(url, await keep({ db, store }, kind, resource, body));
    },
  };
}

async function keep(
  { db, store }: { db: Database; store: ObjectStore },
  kind: AssetKind,
  resource: LoadedResource,
  body: Buffer,
): Promise<BrowserFile> {
  const digest = await hashInSteps(body);
  const hash = digest.toString("hex");
  const toWrite = await touchContent(db, new Map([[hash, body.length]]));
  if (toWrite.has(hash)) await markStored(db, hash, (await store.write(digest, body)).storedSize);
  return {
    url: resource.url,
    baseUrl: resource.finalUrl === resource.url ? null : resource.finalUrl,
    hash,
    size: body.length,
    contentType: (resource.contentType ?? "").slice(0, contentTypeMaxChars),
    extension: assetExtension(resource.contentType, body),
    error: resource.error,
    kind,
  };
}

/**
 * Whether asking again over HTTP is of no use. Other failures say little: a browser also cancels what the page no longer
 * needs, and never retries.
 */
function isFinal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Returns an address as it is read from a page: without fragment, user name and password. */
function plain(address: string): string {
  const url = new URL(address);
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href;
}
