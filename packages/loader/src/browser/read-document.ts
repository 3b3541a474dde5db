import { AppError } from "@web-tester/contracts/errors";
import type { CDPSession } from "playwright-core";
import { z } from "zod";
import { watchCanvases } from "./canvas-rest.js";
import { showClosedShadows } from "./closed-shadows.js";
import { emptyPath } from "./empty-page.js";
import { serializeDocument } from "./serialize-document.js";
import { readMoments } from "./serialize-pictures.js";
import { ownWorld } from "./watch-document.js";

/** A document in its present state in the browser. */
export interface RenderedDocument {
  /** With its doctype; null where it is larger than allowed. */
  html: string | null;
  /** UTF-16 code units. */
  length: number;
  /** `document.contentType`, for example text/html. */
  contentType: string;
  /** The number of drawings that could not be kept, by reason. */
  unkept: Unkept;
  /** Whether it may have closed shadow trees, which are missing in `html` then. */
  mayHide: boolean;
  /** Whether something in it can still change by itself, or has already changed it. */
  isLive: boolean;
  /** Whether it is taller than the window. */
  isTall: boolean;
  /** Whether a person would have seen nothing at all. */
  isBlank: boolean;
  /** The address that a `meta refresh` of at most 5 s is about to load; null where there is none. */
  refreshesTo: string | null;
}

/**
 * `foreign`: drawings with pictures of other sites in them; `gone`: handed over to be shown elsewhere; `large`: beyond the
 * budget.
 */
const unkept = z.object({ foreign: z.int(), gone: z.int(), large: z.int() });
export type Unkept = z.infer<typeof unkept>;

const rendered = z.object({
  unkept,
  mayHide: z.boolean(),
  html: z.string().nullable(),
  length: z.number(),
  contentType: z.string(),
  isLive: z.boolean(),
  isTall: z.boolean(),
  isBlank: z.boolean(),
  refreshesTo: z.string().nullable(),
});

/** Later refreshes only renew a page that is meant to be read first. */
const refreshMaxSeconds = 5;

/**
 * JavaScript that tells whether the page has no words, and nothing that takes room or is drawn by other means. A page with
 * a title and without any element that might have been filled is a page all the same.
 */
const seesNothing = `() => {
  const body = document.body;
  if (body === null) return document.documentElement === null || document.documentElement.textContent.trim() === "";
  if (body.localName === "frameset" || body.innerText.trim() !== "") return false;
  const drawn = "img, picture, svg, canvas, video, audio, iframe, embed, object, input:not([type=hidden]), select, textarea, button, meter, progress, hr, dialog[open]";
  if (body.querySelector(drawn) !== null) return false;
  if (document.title !== "" && body.querySelector(":not(script, style, noscript, template, link, meta)") === null) return false;
  return [...body.querySelectorAll("*")].every((element) => element.shadowRoot === null && (element.offsetHeight ?? 0) * (element.offsetWidth ?? 0) === 0);
}`;

const nextAddress = `() => {
  for (const meta of document.querySelectorAll("meta[http-equiv=refresh i]")) {
    const [, seconds, address] = /^\\s*(\\d*)[.\\d]*\\s*[;,]?\\s*(?:url\\s*=)?\\s*["']?([^"']*)/i.exec(meta.content) ?? [];
    if (seconds === undefined || Number(seconds) > ${refreshMaxSeconds} || !address) continue;
    const target = URL.parse(address.trim(), document.baseURI);
    if (target !== null && target.href !== location.href) return target.href;
  }
  return null;
}`;

/**
 * JavaScript that returns what a person scrolls to read the page: the document, or where that is no taller than the
 * window, the first element that fills most of the window and scrolls inside of itself, as in applications.
 */
const mainScroller = `() => {
  const root = document.scrollingElement;
  if (root === null || document.body === null || root.scrollHeight > root.clientHeight + 1) return root;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  for (let at = walker.nextNode(), looked = 0; at !== null && looked < 500; at = walker.nextNode(), looked += 1) {
    if (at.scrollHeight <= at.clientHeight + 1 || at.clientHeight * at.clientWidth < innerHeight * innerWidth / 2) continue;
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return root;
}`;

/** Ids of main frames by session: a tab's main frame keeps its id. */
const mainFrames = new WeakMap<CDPSession, string>();

async function mainFrame(cdp: CDPSession): Promise<string> {
  const known = mainFrames.get(cdp);
  if (known !== undefined) return known;
  const { frameTree } = await cdp.send("Page.getFrameTree");
  mainFrames.set(cdp, frameTree.frame.id);
  return frameTree.frame.id;
}

/**
 * Evaluates an expression in an isolated world, where nothing that the page's scripts redefined counts. @throws while the
 * frame is navigating
 */
export async function askDocument(cdp: CDPSession, expression: string): Promise<unknown> {
  return askIn(cdp, await ownContext(cdp), expression);
}

async function ownContext(cdp: CDPSession): Promise<number> {
  const frameId = await mainFrame(cdp);
  return (await cdp.send("Page.createIsolatedWorld", { frameId, worldName: ownWorld })).executionContextId;
}

async function askIn(cdp: CDPSession, executionContextId: number, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", {
    expression,
    contextId: executionContextId,
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
  return result.value;
}

/**
 * Reads the document. `maxChars`: above it the text is not transferred out of the browser. @throws while the frame is navigating
 */
export async function readDocument(cdp: CDPSession, maxChars: number): Promise<RenderedDocument> {
  return readIn(cdp, await ownContext(cdp), maxChars);
}

/** Reads the document with its closed shadow trees. */
export async function readWithClosed(
  cdp: CDPSession,
  maxChars: number,
  known: RenderedDocument,
): Promise<RenderedDocument> {
  const context = await ownContext(cdp);
  return (await showClosedShadows(cdp, context)) ? readIn(cdp, context, maxChars) : known;
}

async function readIn(cdp: CDPSession, context: number, maxChars: number): Promise<RenderedDocument> {
  return rendered.parse(
    await askIn(
      cdp,
      context,
      `(async () => {
        const serialize = ${serializeDocument};
        let serialized = serialize(document);
        if (serialized.unread.length > 0) {
          await (${readMoments})(serialized.unread);
          serialized = serialize(document);
        }
        const { html, unkept, mayHide } = serialized;
        const hasHandler = () => document.evaluate("boolean(//@*[starts-with(name(), 'on')])", document, null, XPathResult.BOOLEAN_TYPE).booleanValue;
        const isLive = (globalThis.seen?.wasChanged ?? true) || document.scripts.length > 0 || document.querySelector("iframe, frame, object, embed, link[rel~=prerender i], meta[http-equiv=refresh i]") !== null || hasHandler();
        const scroller = (${mainScroller})();
        const isTall = isLive && (scroller?.scrollHeight ?? 0) > (scroller?.clientHeight ?? 0) + 1;
        const isBlank = (${seesNothing})();
        const refreshesTo = (${nextAddress})();
        return { html: html.length > ${maxChars} ? null : html, length: html.length, unkept, mayHide, contentType: document.contentType, isLive, isTall, isBlank, refreshesTo };
      })()`,
    ),
  );
}

/**
 * Resolves when the document has not changed in a way that matters for `forMs`, and nothing was drawn on its canvases, or after `limitMs`.
 * @returns a description of what changed last, where it did not come to rest; else null
 */
export async function documentRests(cdp: CDPSession, forMs: number, limitMs: number): Promise<string | null> {
  const moving = await askDocument(
    cdp,
    `new Promise((resolve) => {
      const beganAt = performance.now();
      const seen = globalThis.seen ?? { changedAt: beganAt, last: null };
      const words = (node) => {
        const element = node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement;
        if (element == null) return "the document";
        return ("<" + element.localName + (element.id ? "#" + element.id : "") + [...element.classList].slice(0, 2).map((name) => "." + name).join("") + ">").slice(0, 80);
      };
      const lookAtCanvases = (${watchCanvases})(seen, ${forMs});
      const look = () => {
        const now = performance.now();
        const againMs = lookAtCanvases(now) ?? Infinity;
        const restedMs = now - seen.changedAt;
        if (restedMs >= ${forMs}) resolve(null);
        else if (now - beganAt >= ${Math.max(forMs, limitMs)}) resolve(words(seen.last));
        else setTimeout(look, Math.min(againMs, ${forMs} - restedMs, ${Math.max(forMs, limitMs)} - (now - beganAt)) + 1);
      };
      look();
    })`,
  );
  return typeof moving === "string" ? moving : null;
}

/** Whether an element that matches a selector is in the document. @throws AppError not_ready for an invalid selector */
export async function hasElement(cdp: CDPSession, selector: string): Promise<boolean> {
  const found = await askDocument(
    cdp,
    `(() => { try { return document.querySelector(${JSON.stringify(selector)}) !== null } catch (error) { return error.name } })()`,
  );
  if (found === "SyntaxError")
    throw new AppError(
      "not_ready",
      `“${selector}” is not a CSS selector, so there is nothing to wait for. Correct it in the object's settings.`,
    );
  return found === true;
}

/**
 * Waits until the fonts of the document are loaded, its pictures decoded, and animations of scripts finished, for
 * `limitMs` at most.
 */
export async function documentDrawn(cdp: CDPSession, limitMs: number): Promise<void> {
  await askDocument(
    cdp,
    `Promise.race([
      Promise.allSettled([document.fonts.ready, ...document.getAnimations().filter(({ constructor, playState, timeline, currentTime, effect }) => constructor.name === "Animation" && playState === "running" && timeline === document.timeline && effect?.getComputedTiming().endTime - currentTime < ${limitMs}).map(({ finished }) => finished), ...[...document.images].filter((image) => image.currentSrc !== "" && image.complete && image.naturalWidth > 0).slice(0, 200).map((image) => image.decode())]).then(() => null),
      new Promise((resolve) => setTimeout(resolve, ${limitMs}, null)),
    ])`,
  );
}

/** Empties a document in which nothing runs, and removes its address from the tab's history. */
export async function emptyDocument(cdp: CDPSession): Promise<void> {
  await askDocument(
    cdp,
    `document.documentElement?.remove(); history.replaceState(null, "", "${emptyPath}"); name = ""`,
  );
}

/** Clears the session storage of the document's origin in this tab. */
export async function clearSession(cdp: CDPSession): Promise<void> {
  await askDocument(cdp, `void sessionStorage.clear()`);
}

/**
 * Scrolls the document to `windows` window heights from its top, and waits until it was drawn there. @returns whether that
 * is its end
 */
export async function scrollDocument(cdp: CDPSession, windows: number): Promise<boolean> {
  const isEnd = await askDocument(
    cdp,
    `new Promise((resolve) => {
      const root = (${mainScroller})();
      const step = root?.clientHeight ?? 0;
      root?.scrollTo({ top: ${windows} * step, behavior: "instant" });
      const done = () => { clearTimeout(late); resolve(root === null || root.scrollTop + step >= root.scrollHeight - 1); };
      const late = setTimeout(done, 200);
      // what watches for being seen is told after a frame
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
    })`,
  );
  return isEnd === true;
}
