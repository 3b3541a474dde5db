import { missed } from "@web-tester/html/text/scripts-drew";
import type { CDPSession } from "playwright-core";
import { askDocument } from "./read-document.js";

/** Larger pages are not looked at: nobody waits for that. */
const sourceMaxChars = 2 * 1024 * 1024;
/** Texts whose looks are compared, at most: so many tell of a longer page. */
const looksMax = 3_000;
/** Of a page that scripts style so many words look another way without what they wrote; fewer are a part of it, such as its examples. */
const styledShare = 0.1;
/** Elements that are compared while twins are looked for, at most. */
const stepsMax = 200_000;

/**
 * Switches style sheets off that scripts made, and tells how large a part of the words looks another way then. Styles that the server sent and scripts
 * took over hold meanwhile. Colours, fonts and spaces of a text's own element tell; places do not, as one part that grows moves all others.
 */
const styledOnce = `(sent, made, texts, words) => {
  const looked = texts.slice(0, ${looksMax});
  const properties = ["color", "backgroundColor", "fontFamily", "fontSize", "fontWeight", "display", "paddingLeft", "paddingTop", "borderTopWidth"];
  const lookOf = ({ parentElement }) => {
    const style = getComputedStyle(parentElement);
    return properties.map((property) => style[property]).join();
  };
  const styles = (from) => Array.from(from.querySelectorAll("style"), ({ textContent }) => textContent);
  const present = new Set(styles(document));
  const before = looked.map(lookOf);
  const adopted = document.adoptedStyleSheets;
  for (const sheet of made) sheet.disabled = true;
  const taken = styles(sent).filter((text) => !present.has(text)).map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  document.adoptedStyleSheets = [...adopted, ...taken];
  const other = looked.filter((text, index) => lookOf(text) !== before[index]);
  document.adoptedStyleSheets = adopted;
  for (const sheet of made) sheet.disabled = false;
  return words(other) / Math.max(1, words(looked));
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
  const sent = new DOMParser().parseFromString(source, "text/html");
  const made = (${madeSheets})(sent);
  const still = new CSSStyleSheet();
  still.replaceSync("*, ::before, ::after { transition: none !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  const styled = made.length === 0 ? 0 : (${styledOnce})(sent, made, texts, words);
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
  restore(document.documentElement, sent.documentElement);
  // an open popover, or a modal dialog, was opened by a script
  const isOver = (element) => element.closest(":is(:popover-open, :modal)") !== null;
  const lost = texts.filter(({ parentElement }) => parentElement === null || isOver(parentElement) || !sees(parentElement));
  return { styled, words: words(texts), lostWords: words(lost), hasLostPicture: pictures.some((image) => !sees(image)) };
}`;

/**
 * Whether a part of a page that a reader would miss is out of sight until its scripts have run, although its server sent it: parts that are shown once
 * they are scrolled to, pages that stay hidden until they are ready; or whether scripts write the styles by which it looks as it does. The document is not what it was afterwards.
 * @param source what the server sent
 */
export async function scriptsReveal(cdp: CDPSession, source: string): Promise<boolean> {
  if (source.length > sourceMaxChars) return false;
  const found = await askDocument(cdp, `JSON.stringify((${looksOnce})(${JSON.stringify(source)}))`).catch(() => null);
  if (typeof found !== "string") return false;
  const { styled, words, lostWords, hasLostPicture } = JSON.parse(found) as Record<string, unknown>;
  return (
    hasLostPicture === true ||
    Number(styled) > styledShare ||
    missed(Number(lostWords), Number(lostWords), Number(words))
  );
}
