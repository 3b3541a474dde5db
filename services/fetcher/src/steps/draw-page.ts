import type { PictureRegion } from "@web-tester/contracts/entities/compare";
import type { DrawnElement } from "@web-tester/contracts/entities/rule";
import { assetTypes, isAssetExtension } from "@web-tester/contracts/asset-types";
import { AppError } from "@web-tester/contracts/errors";
import type { BrowserPage, BrowserPool } from "@web-tester/loader/browser/browser-pool";
import { drawTiny, type Visitor, visitorOf } from "@web-tester/loader/browser/visitor";
import { storedContentPolicy } from "@web-tester/replay/isolation";
import type { Replayer } from "@web-tester/replay/replayer";
import type { AssetRow } from "@web-tester/records/assets/snapshot-assets";
import { elementsInRegion } from "../pure/elements-in-region.js";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";

/** A stored page and its files. `hash` in hex. */
export interface StoredPage {
  objectId: string;
  hash: string;
  charset: string | null;
  baseUrl: string;
  /** Whether scripts ran when it was fetched. */
  inBrowser: boolean;
  /** Policies that its server sent with it, where it is kept as it was sent. */
  policies: readonly string[] | undefined;
  assets: readonly AssetRow[];
  /** The window that was chosen for it; empty values stand for the usual one. */
  visit: { viewport: string; language: string; timeZone: string };
}

/** A page as a browser draws it. Sizes in CSS pixels, which are the pixels of the picture. */
export interface Drawing {
  png: Buffer;
  width: number;
  height: number;
  pageHeight: number;
}

/** The height at which taller pages are cut: three pictures of this size are in memory at once. */
export const drawnHeightMax = 10_000;
/** `tiny` is for mails, which carry few bytes. */
const thumbnails = {
  small: { width: 320, format: { format: "png" } },
  tiny: { width: 200, format: { format: "jpeg", quality: 45 } },
} as const;
export type ThumbnailSize = keyof typeof thumbnails;
const deadlineMs = 60_000;
const loadMs = 30_000;

/** The origin that pages are drawn at. No server is there: every request is answered from the object store or refused. */
const origin = "http://replay.invalid";

/**
 * Draws a stored page in a browser, from stored bytes only: every request is answered here, the tab has no access to the
 * network, and the page is served with the headers that keep stored content from running anything.
 * @throws AppError browser_unavailable, browser_crashed, timed_out, cancelled, content_missing, content_damaged
 */
export async function drawPage(stored: StoredPage, deps: DrawDeps): Promise<Drawing> {
  return inWindow(stored, deps, photograph);
}

/** Draws the part of a stored page that fits into the window, scaled down. @returns a PNG, or a JPEG for a tiny one */
export async function drawThumbnail(stored: StoredPage, deps: DrawDeps, size: ThumbnailSize): Promise<Buffer> {
  const { width: drawnWidth, format } = thumbnails[size];
  return inWindow(stored, deps, async ({ page, cdp }, visitor) => {
    await page.goto(`${origin}/`, { waitUntil: "load", timeout: loadMs });
    await drawTiny(cdp, visitor, 1);
    try {
      const { width, height } = visitor.viewport;
      const shown = { x: 0, y: 0, width, height: Math.min(height, Math.round((width * 3) / 4)) };
      const clip = { ...shown, scale: drawnWidth / width / visitor.deviceScaleFactor };
      const { data } = await cdp.send("Page.captureScreenshot", { ...format, clip });
      return Buffer.from(data, "base64");
    } finally {
      await drawTiny(cdp, visitor);
    }
  });
}

/** Returns the elements in a region of the drawn page. */
export async function elementsAt(stored: StoredPage, deps: DrawDeps, region: PictureRegion): Promise<DrawnElement[]> {
  return inWindow(stored, deps, async ({ page, cdp }) => {
    await page.goto(`${origin}/`, { waitUntil: "load", timeout: loadMs });
    const { strings, documents } = await cdp.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
    const [document] = documents;
    if (document === undefined) return [];
    const { nodes, layout } = document;
    const drawn = {
      ...{ strings, parents: nodes.parentIndex ?? [], types: nodes.nodeType ?? [], names: nodes.nodeName ?? [] },
      attributes: nodes.attributes ?? [],
      boxes: layout.nodeIndex.map((node, index) => ({ node, bounds: layout.bounds[index] ?? [] })),
    };
    return elementsInRegion(drawn, region).map((element) => ({ ...element, src: sourceOf(stored, element.src) }));
  });
}

/** Returns a file's original address for the address that it is drawn from. */
function sourceOf({ assets }: StoredPage, shown: string | null): string | null {
  const id = shown?.startsWith(`${origin}/`) === true ? shown.slice(origin.length + 1).split(".")[0] : undefined;
  return assets.find((asset) => asset.id === id)?.url ?? null;
}

interface DrawDeps {
  store: ObjectStore;
  pool: BrowserPool;
  replayer: Replayer;
  signal: AbortSignal;
}

async function inWindow<Result>(
  stored: StoredPage,
  { store, pool, replayer, signal }: DrawDeps,
  take: (tab: BrowserPage, visitor: Visitor) => Promise<Result>,
): Promise<Result> {
  const visitor = visitorOf({ userAgent: "", ...stored.visit });
  const replaying = await replayOf(stored, { store, replayer });
  return pool.withPage(
    { owner: "replay", turnOf: stored.objectId, visitor, grant: noGrant, deadlineMs, signal },
    async (tab) => {
      await tab.page.route("**/*", async (route) => {
        const answer = await replaying(route.request().url()).catch(() => null);
        return answer === null ? route.abort("blockedbyclient") : route.fulfill(answered(answer));
      });
      try {
        return await take(tab, visitor);
      } finally {
        await tab.page.unrouteAll({ behavior: "ignoreErrors" });
      }
    },
  );
}

interface StoredAnswer {
  body: Buffer;
  type: string;
}

/** Answers with the page and its files by address, from the object store alone; null for everything else. */
async function replayOf(
  stored: StoredPage,
  { store, replayer }: Pick<DrawDeps, "store" | "replayer">,
): Promise<(url: string) => Promise<StoredAnswer | null>> {
  const address = (asset: AssetRow) => (asset.hash === null ? null : `${origin}/${asset.id}.${asset.extension}`);
  const noscript = stored.inBrowser ? ("hide" as const) : ("show" as const);
  const replay = { store, assets: stored.assets, noscript, policies: stored.policies, address };
  const html = await replayer.page(
    {
      key: JSON.stringify([stored.hash, stored.charset]),
      baseUrl: stored.baseUrl,
      read: async () => ({
        bytes: await store.read(Buffer.from(stored.hash, "hex")),
        charset: stored.charset,
        marks: null,
      }),
    },
    replay,
  );
  const byId = new Map(stored.assets.map((asset) => [asset.id, asset]));

  return async (url) => {
    if (url === `${origin}/`) return { body: html, type: "text/html; charset=utf-8" };
    if (!url.startsWith(`${origin}/`)) return null;
    const asset = byId.get(url.slice(origin.length + 1).split(".")[0] ?? "");
    if (asset === undefined || asset.hash === null || !isAssetExtension(asset.extension)) return null;
    const hash = Buffer.from(asset.hash, "hex");
    const read = () => store.read(hash);
    const body = asset.extension === "css" ? await replayer.stylesheet(asset, replay, read) : await read();
    return { body, type: assetTypes[asset.extension].type };
  };
}

function answered({ body, type }: StoredAnswer) {
  return {
    status: 200,
    body,
    headers: {
      "Content-Type": type,
      "Content-Security-Policy": storedContentPolicy,
      "X-Content-Type-Options": "nosniff",
      "Access-Control-Allow-Origin": "*",
    },
  };
}

async function photograph(
  { page, cdp }: BrowserPage,
  { viewport: { width } }: Pick<Visitor, "viewport">,
): Promise<Drawing> {
  await page.goto(`${origin}/`, { waitUntil: "load", timeout: loadMs });
  const { cssContentSize } = await cdp.send("Page.getLayoutMetrics");
  const pageHeight = Math.max(1, Math.ceil(cssContentSize.height));
  const height = Math.min(drawnHeightMax, pageHeight);
  const png = await page.screenshot({
    type: "png",
    fullPage: true,
    clip: { x: 0, y: 0, width, height },
    animations: "disabled",
    caret: "hide",
    scale: "css",
    timeout: loadMs,
  });
  return { png, width, height, pageHeight };
}

const noGrant = {
  consent: null,
  maxBytes: 0,
  onOverBudget: () => undefined,
  enter: () =>
    Promise.reject(new AppError("address_refused", "A stored page is shown without asking anybody for anything.")),
};
