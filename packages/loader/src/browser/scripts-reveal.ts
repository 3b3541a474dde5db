import { missed } from "@web-tester/html/text/scripts-drew";
import type { CDPSession } from "playwright-core";
import { askDocument } from "./read-document.js";

/** Larger pages are not looked at: nobody waits for that. */
const sourceMaxChars = 2 * 1024 * 1024;
/** Elements that are compared while twins are looked for, at most. */
const stepsMax = 200_000;

/**
 * Takes the attributes that styles go by back to what the server sent, and looks which texts and pictures are out of sight then. All of it in one go, in
 * which nothing of the page's own runs.
 */
const looksOnce = `(source) => {
  let steps = 0;
  const sees = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const texts = [];
  const walker = document.createTreeWalker(document.body ?? document.documentElement, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (data.trim() !== "" && parentElement !== null && sees(parentElement)) texts.push(walker.currentNode);
  }
  const pictures = Array.from(document.images).filter((image) => image.clientWidth >= 50 && image.clientHeight >= 50 && sees(image));
  const words = (nodes) => nodes.reduce((sum, { data }) => sum + data.trim().split(/\\s+/).length, 0);
  const still = new CSSStyleSheet();
  still.replaceSync("*, ::before, ::after { transition: none !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  const isForStyles = (name) => /^(class|style|hidden|open|(data|aria)-.+)$/.test(name);
  const restore = (now, was) => {
    for (const name of new Set([...now.getAttributeNames(), ...was.getAttributeNames()].filter(isForStyles))) {
      const value = was.getAttribute(name);
      if (value === now.getAttribute(name)) continue;
      if (value === null) now.removeAttribute(name);
      else now.setAttribute(name, value);
    }
    let next = now.firstElementChild;
    for (const child of was.children) {
      let twin = next;
      while (twin !== null && (twin.localName !== child.localName || twin.id !== child.id)) {
        if ((steps += 1) > ${stepsMax}) return;
        twin = twin.nextElementSibling;
      }
      if (twin === null) continue;
      restore(twin, child);
      next = twin.nextElementSibling;
    }
  };
  restore(document.documentElement, new DOMParser().parseFromString(source, "text/html").documentElement);
  // an open popover, or a modal dialog, was opened by a script
  const isOver = (element) => element.closest(":is(:popover-open, :modal)") !== null;
  const lost = texts.filter(({ parentElement }) => parentElement === null || isOver(parentElement) || !sees(parentElement));
  return { words: words(texts), lostWords: words(lost), hasLostPicture: pictures.some((image) => !sees(image)) };
}`;

/**
 * Whether a part of a page that a reader would miss is out of sight until its scripts have run, although its server sent it: parts that are shown once
 * they are scrolled to, pages that stay hidden until they are ready. The document is not what it was afterwards.
 * @param source what the server sent
 */
export async function scriptsReveal(cdp: CDPSession, source: string): Promise<boolean> {
  if (source.length > sourceMaxChars) return false;
  const found = await askDocument(cdp, `JSON.stringify((${looksOnce})(${JSON.stringify(source)}))`).catch(() => null);
  if (typeof found !== "string") return false;
  const { words, lostWords, hasLostPicture } = JSON.parse(found) as Record<string, unknown>;
  return hasLostPicture === true || missed(Number(lostWords), Number(lostWords), Number(words));
}
