/** The smallest side of a picture that counts: smaller ones are icons that scripts give buttons, links and headings. */
const pictureMinPx = 50;
/** The most texts whose looks are compared: so many are typical of a longer page. */
const looksMax = 3_000;
/** The most elements that are compared while twins are looked for. */
const stepsMax = 200_000;

/**
 * JavaScript helpers that tell how texts look, by their own elements: colours, fonts and paddings; not by position, as one
 * part that grows moves all others. Also the background of the whole page.
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

/** JavaScript helpers that tell whether a person sees an element: not in one that is collapsed to no height either. */
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
 * JavaScript that tells whether scripts added something other than words: drawings, formulas, videos, frames of the same
 * site; or opened a modal dialog over the page. `sent`: the document that the server sent.
 */
export const drew = `(sent) => {
  const shapes = "path, rect, circle, ellipse, line, polyline, polygon, text, image, use, foreignObject";
  // what a drawing begins with: one that was sent empty is there for scripts to draw in, and the icons of a page are no drawings
  const places = ["d", "points", "href", "xlink:href", "x", "y", "cx", "cy", "r", "width", "height", "transform"];
  const beginningOf = (svg) => {
    const shape = svg.querySelector(shapes);
    return shape === null ? null : [shape.localName, ...places.map((name) => shape.getAttribute(name))].join();
  };
  const wereSent = new Set([null, ...Array.from(sent.querySelectorAll("svg"), beginningOf)]);
  const isDrawn = (svg) => isLarge(svg) && !wereSent.has(beginningOf(svg));
  const isShown = {
    video: isLarge, object: isLarge, embed: isLarge, math: () => true,
    iframe: (frame) => frame.contentDocument !== null && isLarge(frame),
  };
  const isMore = ([name, isOne]) => Array.from(document.querySelectorAll(name)).filter(isOne).length > sent.querySelectorAll(name).length;
  return Array.from(document.querySelectorAll("svg")).some(isDrawn) || document.querySelector(":modal") !== null || Object.entries(isShown).some(isMore);
}`;

/** JavaScript that returns the share of the words in fonts that only scripts loaded. */
export const inFontsOfScripts = `(texts) => {
  const familyOf = (text) => /^\\s*["']?([^"',]*)/.exec(text)?.[1].trim().toLowerCase() ?? "";
  const made = new Set(Array.from(globalThis.seen?.rules ?? [], (rule) => /^@font-face \\{ font-family: ("[^"]*")/.exec(rule)?.[1] ?? "").filter(Boolean).map(familyOf));
  if (made.size === 0) return 0;
  for (const sheet of document.styleSheets) {
    try { for (const rule of sheet.cssRules) if (rule instanceof CSSFontFaceRule) made.delete(familyOf(rule.style.getPropertyValue("font-family"))); } catch {}
  }
  return words(texts.filter(({ parentElement }) => made.has(familyOf(getComputedStyle(parentElement).fontFamily)))) / Math.max(1, words(texts));
}`;

/** The most elements whose backgrounds are looked at. */
const paintedMax = 5_000;

/**
 * JavaScript helpers that tell the picture behind an element, or behind what a style sheet puts before or after its content, and all elements that
 * have one, except for those of lazy-loading scripts: a stored page shows these anyway.
 */
export const paintings = `
  const paintingOf = (element, part) => {
    const { backgroundImage, content } = getComputedStyle(element, part);
    return backgroundImage.includes("url(") && (part === null || content !== "none") ? backgroundImage : "";
  };
  const painted = Array.from(document.querySelectorAll("body *:not([data-bg], [data-background], [data-background-image], [data-bg-src])")).slice(0, ${paintedMax})
    .flatMap((element) => [null, "::before", "::after"].map((part) => [element, part, paintingOf(element, part)]))
    .filter(([element, , image]) => image !== "" && isLarge(element));`;

/** JavaScript that resets, in the present document, the attributes that styles depend on to what the server sent. */
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
