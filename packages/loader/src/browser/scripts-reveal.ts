import { missed } from "@web-tester/html/text/scripts-drew";
import type { CDPSession } from "playwright-core";
import { drew, inFontsOfScripts, looks, paintings, restoreSent, sight } from "./looks-of-scripts.js";
import { askDocument } from "./read-document.js";

/** Larger pages are not examined: nobody waits for that. */
const sourceMaxChars = 2 * 1024 * 1024;
/**
 * Share of a page's words that look different without the style sheets that scripts wrote, above which scripts style the
 * page; a smaller share is a part of it, such as its examples.
 */
const styledShare = 0.1;
/**
 * The same share for attributes alone, which is higher: the attributes of a theme concern the whole page, code examples
 * that scripts colour do not.
 */
const dressedShare = 0.3;
/**
 * JavaScript that disables style sheets that scripts made, and returns the share of the words that look different then.
 * Styles that the server sent and scripts took over stay in force meanwhile.
 */
const styledOnce = `(sent, made, texts) => {
  const styles = (from) => Array.from(from.querySelectorAll("style"), ({ textContent }) => textContent);
  const present = new Set(styles(document));
  const before = texts.map(lookOf);
  const adopted = document.adoptedStyleSheets;
  for (const sheet of made) sheet.disabled = true;
  const taken = styles(sent).filter((text) => !present.has(text)).map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  document.adoptedStyleSheets = [...adopted, ...taken];
  const other = texts.filter((text, index) => lookOf(text) !== before[index]);
  document.adoptedStyleSheets = adopted;
  for (const sheet of made) sheet.disabled = false;
  return words(other) / Math.max(1, words(texts));
}`;

/** JavaScript that returns the style sheets that scripts made and that are in force. */
const madeSheets = `(sent) => {
  const texts = new Set(Array.from(sent.querySelectorAll("style"), ({ textContent }) => textContent));
  const links = new Set(Array.from(sent.querySelectorAll("link"), (link) => link.getAttribute("href")));
  const isSent = ({ ownerNode }) => {
    if (ownerNode === null || ownerNode.localName === "link") return ownerNode === null || links.has(ownerNode.getAttribute("href"));
    return texts.has(ownerNode.textContent) && ownerNode.textContent.trim() !== "";
  };
  return [...document.adoptedStyleSheets, ...Array.from(document.styleSheets).filter((sheet) => !isSent(sheet))].filter(({ disabled }) => !disabled);
}`;

/**
 * JavaScript that finds out what scripts drew and styled; then it resets the attributes that styles depend on to what the
 * server sent, and finds out which texts and pictures are out of sight then, and which texts look different. It runs
 * synchronously, so none of the page's own scripts run in between.
 */
const looksOnce = `(source) => {
  ${looks}
  ${sight}
  const texts = [];
  const walker = document.createTreeWalker(document.body ?? document.documentElement, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (data.trim() !== "" && parentElement !== null && sees(parentElement)) texts.push(walker.currentNode);
  }
  const pictures = Array.from(document.images).filter(isLarge);
  ${paintings}
  const sent = new DOMParser().parseFromString(source, "text/html");
  const hasDrawn = (${drew})(sent);
  const made = (${madeSheets})(sent);
  const still = new CSSStyleSheet();
  still.replaceSync("*, ::before, ::after { transition: none !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  const first = looked(texts);
  const styled = made.length === 0 ? 0 : (${styledOnce})(sent, made, first);
  const written = (${inFontsOfScripts})(first);
  const [before, ground] = [first.map(lookOf), groundOf()];
  (${restoreSent})(sent);
  const dressed = groundOf() === ground ? words(first.filter((text, index) => lookOf(text) !== before[index])) / Math.max(1, words(first)) : 1;
  // an open popover, or a modal dialog, was opened by a script
  const isOver = (element) => element.closest(":is(:popover-open, :modal)") !== null;
  const lost = texts.filter(({ parentElement }) => parentElement === null || isOver(parentElement) || !sees(parentElement));
  const hasLostPicture = pictures.some((image) => !sees(image)) || painted.some(([element, part, image]) => paintingOf(element, part) !== image);
  return { styled: Math.max(styled, written), dressed, words: words(texts), lostWords: words(lost), hasLostPicture: hasDrawn || hasLostPicture };
}`;

/**
 * Tells whether a part of the page that a reader would miss is invisible until its scripts have run, although its server
 * sent it: parts that are shown once they are scrolled to, pages that stay hidden until they are ready; or whether scripts
 * draw a part of it, cover it, or give it the styles and attributes that make its look. The document is changed
 * afterwards.
 * @param source the server's source
 */
export async function scriptsReveal(cdp: CDPSession, source: string): Promise<boolean> {
  if (source.length > sourceMaxChars) return false;
  const found = await askDocument(cdp, `JSON.stringify((${looksOnce})(${JSON.stringify(source)}))`).catch(() => null);
  if (typeof found !== "string") return false;
  const { styled, dressed, words, lostWords, hasLostPicture } = JSON.parse(found) as Record<string, unknown>;
  return (
    hasLostPicture === true ||
    Number(styled) > styledShare ||
    Number(dressed) > dressedShare ||
    missed(Number(lostWords), Number(lostWords), Number(words))
  );
}
