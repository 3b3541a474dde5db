import type { CDPSession } from "playwright-core";
import { z } from "zod";
import { ownWorld } from "./watch-document.js";

/** What a document is now, as the browser holds it. */
export interface RenderedDocument {
  /** With its doctype; null where it is larger than allowed. */
  html: string | null;
  /** UTF-16 code units. */
  length: number;
  /** `document.contentType`, for example text/html. */
  contentType: string;
  /** Whether something in it can still change by itself, or has changed it already. */
  isLive: boolean;
  /** Whether it is taller than the window. */
  isTall: boolean;
}

const rendered = z.object({
  html: z.string().nullable(),
  length: z.number(),
  contentType: z.string(),
  isLive: z.boolean(),
  isTall: z.boolean(),
});

/** Ids of main frames: that of a tab stays the same. */
const mainFrames = new WeakMap<CDPSession, string>();

async function mainFrame(cdp: CDPSession): Promise<string> {
  const known = mainFrames.get(cdp);
  if (known !== undefined) return known;
  const { frameTree } = await cdp.send("Page.getFrameTree");
  mainFrames.set(cdp, frameTree.frame.id);
  return frameTree.frame.id;
}

/** Asks the document in a world of its own, where nothing that its scripts redefined counts. @throws where the frame is just navigating */
async function askDocument(cdp: CDPSession, expression: string): Promise<unknown> {
  const { executionContextId } = await cdp.send("Page.createIsolatedWorld", {
    frameId: await mainFrame(cdp),
    worldName: ownWorld,
  });
  const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", {
    expression,
    contextId: executionContextId,
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
  return result.value;
}

/** The document as text. `maxChars`: above it the text is not taken out of the browser. @throws where the frame is just navigating */
export async function readDocument(cdp: CDPSession, maxChars: number): Promise<RenderedDocument> {
  return rendered.parse(
    await askDocument(
      cdp,
      `(() => {
        const type = document.doctype;
        const head = type === null ? "" : new XMLSerializer().serializeToString(type) + "\\n";
        const root = document.documentElement;
        const html = head + (root === null ? "" : root.outerHTML);
        const hasHandler = () => document.evaluate("boolean(//@*[starts-with(name(), 'on')])", document, null, XPathResult.BOOLEAN_TYPE).booleanValue;
        const isLive = (globalThis.seen?.wasChanged ?? true) || document.scripts.length > 0 || document.querySelector("iframe, frame, object, embed, link[rel~=prerender i], meta[http-equiv=refresh i]") !== null || hasHandler();
        const isTall = isLive && (document.scrollingElement?.scrollHeight ?? 0) > innerHeight;
        return { html: html.length > ${maxChars} ? null : html, length: html.length, contentType: document.contentType, isLive, isTall };
      })()`,
    ),
  );
}

/** Resolves when the document has not changed for so long, or after `limitMs`. @returns whether it came to rest */
export async function documentRests(cdp: CDPSession, forMs: number, limitMs: number): Promise<boolean> {
  const rests = await askDocument(
    cdp,
    `new Promise((resolve) => {
      const end = (rests) => { watch.disconnect(); clearTimeout(quiet); clearTimeout(late); resolve(rests); };
      const begin = (restedMs) => setTimeout(() => end(true), Math.max(0, ${forMs} - restedMs));
      let quiet = begin(performance.now() - (globalThis.seen?.changedAt ?? performance.now()));
      const late = setTimeout(() => end(false), ${Math.max(forMs, limitMs)});
      const watch = new MutationObserver(() => { clearTimeout(quiet); quiet = begin(0); });
      watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    })`,
  );
  return rests === true;
}

/** Where a tab of a site stands between two pages. */
export const emptyPath = "/.empty";

/** Takes everything out of a document in which nothing runs, and its address out of the tab's history. */
export async function emptyDocument(cdp: CDPSession): Promise<void> {
  await askDocument(
    cdp,
    `document.documentElement?.remove(); history.replaceState(null, "", "${emptyPath}"); name = ""`,
  );
}

/** Takes everything out of the storage that the document's origin has for this tab alone. */
export async function clearSession(cdp: CDPSession): Promise<void> {
  await askDocument(cdp, `void sessionStorage.clear()`);
}

/** Scrolls the document to a height, and waits until it was drawn there. @returns whether that is its end */
export async function scrollDocument(cdp: CDPSession, top: number): Promise<boolean> {
  const isEnd = await askDocument(
    cdp,
    `new Promise((resolve) => {
      scrollTo({ top: ${top}, behavior: "instant" });
      const root = document.scrollingElement;
      const done = () => { clearTimeout(late); resolve(root === null || root.scrollTop + innerHeight >= root.scrollHeight - 1); };
      const late = setTimeout(done, 200);
      // what watches for being seen is told after a frame
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
    })`,
  );
  return isEnd === true;
}
