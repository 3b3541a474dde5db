/** Smaller ones are signs: what scripts give buttons, links and headings. */
const pictureMinPx = 50;
/** Texts whose looks are compared, at most: so many tell of a longer page. */
const looksMax = 3_000;
/** Elements that are compared while twins are looked for, at most. */
const stepsMax = 200_000;

/**
 * How texts look, by their own elements: colours, fonts and spaces; not by their places, as one part that grows moves all others. And what the
 * whole page stands on.
 */
export const looks = `
  const looked = (texts) => texts.slice(0, ${looksMax});
  const properties = ["color", "backgroundColor", "fontFamily", "fontSize", "fontWeight", "display", "paddingLeft", "paddingTop", "borderTopWidth"];
  const lookOf = ({ parentElement }) => {
    const style = getComputedStyle(parentElement);
    return properties.map((property) => style[property]).join();
  };
  const groundOf = () => [document.documentElement, document.body].map((element) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(element ?? document.documentElement);
    return backgroundColor + backgroundImage;
  }).join();
  const words = (nodes) => nodes.reduce((sum, { data }) => sum + data.trim().split(/\\s+/).length, 0);`;

/** Whether a person sees an element: not in one that is folded to nothing either. */
export const sight = `
  const isFolded = (element) => {
    for (let at = element, steps = 0; at !== null && at !== document.body && steps < 8; at = at.parentElement, steps += 1)
      if (at.offsetHeight === 0 && /hidden|clip/.test(getComputedStyle(at).overflowY)) return true;
    return false;
  };
  const sees = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !isFolded(element);
  const isLarge = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width >= ${pictureMinPx} && height >= ${pictureMinPx} && sees(element);
  };`;

/**
 * Whether scripts added what is no word: drawings, formulas, films, frames of the same site; or laid a modal dialog over the page. `sent`: the
 * document that the server sent.
 */
export const drew = `(sent) => {
  const isShown = {
    svg: isLarge, video: isLarge, object: isLarge, embed: isLarge, math: () => true,
    iframe: (frame) => frame.contentDocument !== null && isLarge(frame),
  };
  const isMore = ([name, isOne]) => Array.from(document.querySelectorAll(name)).filter(isOne).length > sent.querySelectorAll(name).length;
  return document.querySelector(":modal") !== null || Object.entries(isShown).some(isMore);
}`;

/** The share of the words that stand in fonts that only scripts brought. */
export const inFontsOfScripts = `(texts) => {
  const familyOf = (text) => /^\\s*["']?([^"',]*)/.exec(text)?.[1].trim().toLowerCase() ?? "";
  const made = new Set(Array.from(globalThis.seen?.rules ?? [], (rule) => /^@font-face \\{ font-family: ("[^"]*")/.exec(rule)?.[1] ?? "").filter(Boolean).map(familyOf));
  if (made.size === 0) return 0;
  for (const sheet of document.styleSheets) {
    try { for (const rule of sheet.cssRules) if (rule instanceof CSSFontFaceRule) made.delete(familyOf(rule.style.getPropertyValue("font-family"))); } catch {}
  }
  return words(texts.filter(({ parentElement }) => made.has(familyOf(getComputedStyle(parentElement).fontFamily)))) / Math.max(1, words(texts));
}`;

/** Backgrounds that scripts may have set: those that a script would only have loaded late are shown in a stored page anyway. */
export const paintedElements = `() => Array.from(document.querySelectorAll('[style*="url("]:not([data-bg], [data-background], [data-background-image], [data-bg-src])'))
  .filter(isLarge).map((element) => [element, getComputedStyle(element).backgroundImage]).filter(([, image]) => image !== "none")`;

/** Takes the attributes that styles go by back to what the server sent, in a document as it is now. */
export const restoreSent = `(sent) => {
  let steps = 0;
  const isForStyles = (name) => /^(class|style|hidden|open|(data|aria)-.+)$/.test(name);
  const isTwin = (one, child) => one.localName === child.localName && one.id === child.id;
  const hasClassOf = (one, child) => one.getAttribute("class") === child.getAttribute("class");
  /* Where scripts added elements beside them, those with the same classes first: one that was put in would move all behind it. */
  const twinsOf = (now, was) => {
    const [live, sent] = [Array.from(now.children), Array.from(was.children)];
    if (live.length === sent.length && sent.every((child, index) => isTwin(live[index], child))) return sent.map((child, index) => [live[index], child]);
    let next = 0;
    const find = (fits) => { steps += live.length - next; return live.findIndex((one, index) => index >= next && fits(one)); };
    return sent.flatMap((child) => {
      if (steps > ${stepsMax}) return [];
      const same = find((one) => isTwin(one, child) && hasClassOf(one, child));
      const at = same === -1 ? find((one) => isTwin(one, child)) : same;
      if (at === -1) return [];
      next = at + 1;
      return [[live[at], child]];
    });
  };
  const restore = (now, was) => {
    for (const name of new Set([...now.getAttributeNames(), ...was.getAttributeNames()].filter(isForStyles))) {
      const value = was.getAttribute(name);
      if (value === now.getAttribute(name)) continue;
      if (value === null) now.removeAttribute(name);
      else now.setAttribute(name, value);
    }
    for (const [twin, child] of twinsOf(now, was)) restore(twin, child);
  };
  restore(document.documentElement, sent.documentElement);
}`;
