import type { CDPSession } from "playwright-core";
import { z } from "zod";

/** What a document is now, as the browser holds it. */
export interface RenderedDocument {
  /** With its doctype; null where it is larger than allowed. */
  html: string | null;
  /** UTF-16 code units. */
  length: number;
  /** `document.contentType`, for example text/html. */
  contentType: string;
  /** Whether something in it can still change by itself. */
  isLive: boolean;
}

const rendered = z.object({
  html: z.string().nullable(),
  length: z.number(),
  contentType: z.string(),
  isLive: z.boolean(),
});

/** Asks the document in a world of its own, where nothing that its scripts redefined counts. @throws where the frame is just navigating */
async function askDocument(cdp: CDPSession, expression: string): Promise<unknown> {
  const { frameTree } = await cdp.send("Page.getFrameTree");
  const { executionContextId } = await cdp.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "web-tester",
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
        const isLive = document.scripts.length > 0 || document.querySelector("iframe, frame, object, embed, [onload], [onerror], meta[http-equiv=refresh i]") !== null;
        return { html: html.length > ${maxChars} ? null : html, length: html.length, contentType: document.contentType, isLive };
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
      const begin = () => setTimeout(() => end(true), ${forMs});
      let quiet = begin();
      const late = setTimeout(() => end(false), ${Math.max(forMs, limitMs)});
      const watch = new MutationObserver(() => { clearTimeout(quiet); quiet = begin(); });
      watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    })`,
  );
  return rests === true;
}
