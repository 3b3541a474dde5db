import { missed } from "@web-tester/html/text/scripts-drew";
import type { CDPSession } from "playwright-core";
import { drew, inFontsOfScripts, looks, paintedElements, restoreSent, sight } from "./looks-of-scripts.js";
import { askDocument } from "./read-document.js";

/** Larger pages are not looked at: nobody waits for that. */
const sourceMaxChars = 2 * 1024 * 1024;
/** Of a page that scripts style so many words look another way without what they wrote; fewer are a part of it, such as its examples. */
const styledShare = 0.1;
/** By attributes alone more: those of a theme are of the whole page, and examples whose words scripts colour are not. */
const dressedShare = 0.3;
/**
 * Switches style sheets off that scripts made, and tells how large a part of the words looks another way then. Styles that the server sent and scripts
 * took over hold meanwhile.
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

/** Style sheets that scripts made and that hold. */
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
 * Looks what scripts drew and styled; then takes the attributes that styles go by back to what the server sent, and looks which texts and pictures are out of
 * sight then, and which texts look another way. All of it in one go, in which nothing of the page's own runs.
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
  const painted = (${paintedElements})();
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
  const hasLostPicture = pictures.some((image) => !sees(image)) || painted.some(([element, image]) => getComputedStyle(element).backgroundImage !== image);
  return { styled: Math.max(styled, written), dressed, words: words(texts), lostWords: words(lost), hasLostPicture: hasDrawn || hasLostPicture };
}`;

/**
 * Whether a part of a page that a reader would miss is out of sight until its scripts have run, although its server sent it: parts that are shown once
 * they are scrolled to, pages that stay hidden until they are ready; or whether scripts draw a part of it, cover it, or give it the styles and attributes by which it
 * looks as it does. The document is not what it was afterwards.
 * @param source what the server sent
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
