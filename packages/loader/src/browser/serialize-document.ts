import { statesAttribute } from "@web-tester/html/replay/custom-states";
import { layers } from "./serialize-layers.js";
import { pictures } from "./serialize-pictures.js";
import { textsOfRules } from "./watch-document.js";

const framesDeepMax = 3;
/** The most elements of a scrolled part that are looked at to tell how far it is scrolled. */
const scrolledMax = 5_000;

/**
 * Getters of elements, taken from the prototypes: a form whose fields have the names of properties would answer in their place.
 */
const asking = `
  const getterOf = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
  const nameGetter = getterOf(Element.prototype, "localName");
  const rootGetter = getterOf(Element.prototype, "shadowRoot");
  const nameOf = (element) => nameGetter.call(element);
  const shadowOf = (element) => rootGetter.call(element) ?? globalThis.closedRoots?.get(element) ?? null;`;

const styles = `
  const withoutMoments = (css) => css.replaceAll(/url\\(\\s*["']?(blob:[^"')\\s]*)[^)]*\\)/gi, (written, url) => inData(url));
  const cssOf = (rules) => withoutMoments((${textsOfRules})(Array.from(rules, (rule) => rule.cssText)).join("\\n")).replace(/<\\/(style)/gi, "<\\\\/$1");
  const rulesOf = (sheet) => { try { return sheet?.cssRules ?? null; } catch { return null; } };
  const isChanged = (style) => {
    const rules = rulesOf(style.sheet);
    if (rules === null) return false;
    if (style.textContent.trim() === "") return rules.length > 0;
    const fresh = new CSSStyleSheet();
    fresh.replaceSync(style.textContent);
    const own = Array.from(rules).filter((rule) => rule.constructor.name !== "CSSImportRule");
    return own.length !== fresh.cssRules.length || own.some((rule, index) => rule.cssText !== fresh.cssRules[index].cssText);
  };
  // of the sheets with titles those with one title apply; which a script has chosen shows by no attribute, but by a rule that is put in
  const isActive = ({ sheet, ownerDocument }) => {
    if (sheet.disabled) return false;
    const end = sheet.insertRule(":root { --web-tester-applies: 1 }", sheet.cssRules.length);
    const found = getComputedStyle(ownerDocument.documentElement).getPropertyValue("--web-tester-applies");
    sheet.deleteRule(end);
    return found !== "";
  };
  const isAlternate = ({ rel = "" }) => /\\balternate\\b/i.test(rel);
  const firstTitle = (page) => Array.from(page.querySelectorAll("link[rel~=stylesheet i][title], style[title]")).find((each) => each.title !== "" && !isAlternate(each))?.title;
  const isOfTitle = ({ sheet, title, ownerDocument }, scope) => title !== "" && scope === ownerDocument && rulesOf(sheet) !== null && ownerDocument.defaultView.matchMedia(sheet.media.mediaText).matches;
  // switched off or on by a script, which no attribute tells
  const isSwitched = (element) => {
    const { sheet, title, ownerDocument } = element;
    if (sheet === null) return false;
    if (!isOfTitle(element, element.getRootNode())) return sheet.disabled && !(isAlternate(element) && title !== "");
    return isActive(element) !== (!isAlternate(element) && title === firstTitle(ownerDocument));
  };
  const applySwitched = (element, twin) => {
    if (element.title === "" || !isActive(element)) return twin.setAttribute("media", "not all");
    twin.removeAttribute("title");
    if (isAlternate(element)) twin.setAttribute("rel", "stylesheet");
  };
  // kept from being seen: by a policy of the site, or as a file is not the one that the page names
  const isRefused = (element) => {
    if (element.sheet !== null || !element.isConnected) return false;
    return nameOf(element) === "style" ? /^(text\\/css)?$/i.test(element.type) && element.textContent.trim() !== "" : element.integrity !== "" && /\\bstylesheet\\b/i.test(element.rel);
  };
  // looked for before anything is copied: a copy lends its style to what it is a copy of
  const refused = new Set();
  const noteRefused = (scope) => {
    const plain = document.implementation.createHTMLDocument("").body;
    for (const element of scope.querySelectorAll("[style]:not(form)")) {
      if (element.style?.length !== 0) continue;
      plain.style.cssText = element.getAttribute("style");
      if (plain.style.length > 0) refused.add(element);
    }
  };
  const isMadeUp = (link) => /\\bstylesheet\\b/i.test(link.rel) && /^\\s*(blob|data):/i.test(link.getAttribute("href") ?? "") && rulesOf(link.sheet) !== null;
  const adopted = (scope) => Array.from(scope.adoptedStyleSheets ?? [], (sheet) => {
    const css = sheet.disabled ? "" : cssOf(sheet.cssRules);
    return css === "" || sheet.media.mediaText === "" ? css : "@media " + sheet.media.mediaText + " {\\n" + css + "\\n}";
  }).filter((css) => css !== "").join("\\n");`;

const ofScripts = `
  // what only scripts know: states of elements of the site's own, properties and fonts that were registered, children that were given a slot
  const seenIn = (page) => page.defaultView?.seen;
  const statesOf = (element) => {
    const known = nameOf(element).includes("-") ? seenIn(element.ownerDocument)?.states : undefined;
    const isIn = (state) => /^[\\w-]+$/.test(state) && element.matches(":state(" + CSS.escape(state) + ")");
    return Array.from(known ?? []).filter(isIn).sort().join(" ");
  };
  const registered = (page) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(Array.from(seenIn(page)?.rules ?? []).sort().join("\\n"));
    return cssOf(sheet.cssRules);
  };
  const nameSlots = (host, twin, shadow, copy, inert) => {
    const twins = Array.from(twin.childNodes);
    const twinOf = new Map(Array.from(host.childNodes, (child, index) => [child, twins[index]]));
    const copies = copy.querySelectorAll("slot");
    shadow.querySelectorAll("slot").forEach((slot, index) => {
      const name = "manual-" + index;
      copies[index].setAttribute("name", name);
      for (const node of slot.assignedNodes()) {
        const child = twinOf.get(node);
        if (child.nodeType === Node.ELEMENT_NODE) { child.setAttribute("slot", name); continue; }
        const holder = inert.createElement("span");
        holder.setAttribute("slot", name);
        holder.setAttribute("style", "display: contents");
        child.replaceWith(holder);
        holder.append(child);
      }
    });
  };`;

const fields = `
  // fields that say what they hold in an attribute, or nobody's business
  const plainFields = new Set(["password", "file", "hidden", "submit", "button", "reset", "image"]);
  const chosenFirst = ({ options }) => Array.from(options).findLast((one) => one.defaultSelected) ?? Array.from(options).find((one) => !one.disabled);
  const isFilled = (field) => {
    switch (nameOf(field)) {
      case "input": return field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked : !plainFields.has(field.type) && field.value !== field.defaultValue;
      case "textarea": return field.value !== field.defaultValue;
      default: return field.multiple ? Array.from(field.options).some((one) => one.selected !== one.defaultSelected) : field.selectedIndex !== (chosenFirst(field)?.index ?? -1);
    }
  };
  const fill = (field, twin) => {
    switch (nameOf(field)) {
      case "input":
        if (field.type === "checkbox" || field.type === "radio") twin.toggleAttribute("checked", field.checked);
        else twin.setAttribute("value", field.value);
        break;
      case "textarea": twin.textContent = field.value; break;
      default:
        Array.from(twin.querySelectorAll("option")).forEach((option, index) => option.toggleAttribute("selected", field.options[index]?.selected === true));
        // browsers would choose the first one; this one is not in the list, and does not make the field wider
        if (!field.multiple && field.size <= 1 && field.selectedIndex === -1) twin.insertAdjacentHTML("afterbegin", '<option selected hidden value=""></option>');
    }
  };`;

const animations = `
  // what scripts moved to its place by an animation is there by no attribute
  const moved = new Map();
  const noteMoved = (page) => {
    for (const { constructor, playState, effect } of page.getAnimations()) {
      if (constructor.name !== "Animation" || playState !== "finished" || !effect?.target || effect.pseudoElement !== null) continue;
      const names = effect.getKeyframes().flatMap(({ offset, computedOffset, easing, composite, ...styles }) => Object.keys(styles).map((name) => (name === "cssOffset" ? "offset" : name)));
      moved.set(effect.target, new Set([...(moved.get(effect.target) ?? []), ...names]));
    }
  };
  const stay = (element, twin) => {
    const now = getComputedStyle(element);
    for (const name of moved.get(element)) {
      if (name.startsWith("--")) twin.style.setProperty(name, now.getPropertyValue(name));
      else twin.style[name] = now[name];
    }
  };`;

const scrolls = `
  /* What stands at the top of a part that is scrolled inside of itself. Along a line carousels move by themselves, which would be another page each time. */
  const atTop = new Set();
  const isMovedIn = (element, inner) => inner === element || (/static|relative/.test(getComputedStyle(inner).position) && isMovedIn(element, inner.parentElement));
  const noteScrolled = (page) => {
    for (const element of page.querySelectorAll("*")) {
      if (element.scrollTop < 1 || element === page.scrollingElement || element === page.body) continue;
      const { top } = element.getBoundingClientRect();
      const distances = Array.from(element.querySelectorAll("*")).slice(0, ${scrolledMax}).flatMap((inner) => {
        const { top: at, height } = inner.getBoundingClientRect();
        return height > 0 ? [[Math.abs(at - top - element.clientTop), inner]] : [];
      });
      const nearest = distances.sort(([one], [other]) => one - other).slice(0, 20);
      const found = nearest.find(([, inner]) => isMovedIn(element, inner));
      if (found !== undefined) atTop.add(found[1]);
    }
  };
  const scrollThere = (twin) => twin.setAttribute("style", [twin.getAttribute("style")?.replace(/;\\s*$/, ""), "scroll-initial-target: nearest"].filter(Boolean).join("; "));`;

/** Elements whose start tag makes a parser end a paragraph. */
const endsParagraph =
  "address,article,aside,blockquote,center,dd,details,dialog,dir,div,dl,dt,fieldset,figcaption,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hgroup,hr,li,listing,main,menu,nav,ol,p,pre,search,section,summary,table,ul,xmp";

const places = `
  const xhtml = "http://www.w3.org/1999/xhtml";
  // [what, in what, unless one of these is between them]: a parser would take the first out of the second
  const takenOut = [["${endsParagraph}", "p", "button,foreignObject"], ["a", "a", ""], ["button", "button", ""]];
  const isTakenOut = (root) => takenOut.some(([what, around]) => root.querySelector(around + " :is(" + what + ")") !== null);
  /* Unknown to browsers but to their parsers, which do not look beyond it: its content stays where it is. */
  const holdInPlace = (root, inert) => {
    for (const [what, around, barriers] of takenOut)
      for (const element of root.querySelectorAll(":is(" + around + ") :is(" + what + ")")) {
        const closest = element.parentElement.closest([around, "object,td,th,caption,marquee,applet,template", barriers].filter(Boolean).join());
        if (closest?.matches(around) !== true || element.namespaceURI !== xhtml) continue;
        const holder = inert.createElement("applet");
        holder.setAttribute("style", "display: contents");
        element.replaceWith(holder);
        holder.append(element);
      }
  };
  const isXml = (page) => page.contentType !== "text/html" && page.documentElement?.namespaceURI === xhtml;
  // style sheets that XML names before its root, which has no place there in HTML
  const linksOf = (page, inert) => Array.from(page.childNodes).filter(({ nodeName, sheet }) => nodeName === "xml-stylesheet" && sheet !== null).map(({ data }) => {
    const link = inert.createElement("link");
    link.setAttribute("rel", "stylesheet");
    for (const [, name, double, single] of data.matchAll(/\\b(href|media)\\s*=\\s*(?:"([^"]*)"|'([^']*)')/g))
      link.setAttribute(name, Object.assign(inert.createElement("textarea"), { innerHTML: double ?? single }).value);
    return link;
  });
  const asHtml = (copy, inert) => {
    const walker = inert.createTreeWalker(copy, NodeFilter.SHOW_CDATA_SECTION);
    const sections = [];
    while (walker.nextNode()) sections.push(walker.currentNode);
    for (const section of sections) section.replaceWith(section.data);
  };`;

const frames = `
  const documentOf = (frame) => { try { return frame.contentDocument?.documentElement ? frame.contentDocument : null; } catch { return null; } };
  const isBlank = (frame) => /^(about:blank(?![^#?])|javascript:|$)/i.test((frame.getAttribute("src") ?? "").trim());
  /* The document of a frame of this site that is not what an address or an attribute says: scripts wrote it, or worked on it. */
  const drawnIn = (frame) => {
    const page = documentOf(frame);
    if (page === null) return null;
    if (isBlank(frame) && !frame.hasAttribute("srcdoc")) return page.body?.childNodes.length > 0 ? page : null;
    const isLive = /^blob:/i.test(page.URL) || page.scripts.length > 0 || frame.contentWindow.seen?.wasChanged === true || isUnlike(page);
    return isLive && page.contentType === "text/html" ? page : null;
  };
  const basedOn = (page, html) => {
    if (!/^https?:/.test(page.URL) || page.querySelector("base[href]") !== null) return html;
    const base = '<base href="' + page.URL.replaceAll("&", "&amp;").replaceAll('"', "&quot;") + '">';
    return html.replace(/<head(?:\\s[^>]*)?>/i, (head) => head + base);
  };`;

/**
 * An expression for a function of a document's own world that gives the document as HTML from which it can be shown again without its
 * scripts: what `outerHTML` says, and what it leaves out. Shadow trees become declarative ones (`template shadowrootmode`; closed ones where
 * `closedRoots` knows them), style sheets that scripts adopted, made up or changed become the text of `style` elements, styles that a policy of the site refused hold no more, a canvas becomes a picture
 * of what it shows, fields say what they hold, elements which states they are in, properties and fonts that scripts registered become rules, children that they
 * put into slots name these, popovers and modal dialogs that are open get styles that show them so, parts that are scrolled inside of themselves a style that scrolls them there, and a frame of the site whose document is not what its server sent gets it as `srcdoc`. Pictures in blobs become data, other addresses of blobs are left out, and links by which
 * scripts have the browser load something beforehand are left out: nobody sees them, and which there are hangs on the moment. Where there
 * is nothing of that kind, nothing is copied. What could not be kept is counted in `unkept`; `unread`: blobs for `readMoments`.
 */
export const serializeDocument = `(shown) => {
  const unkept = { foreign: 0, gone: 0, large: 0 };
  let mayHide = globalThis.seen?.hasClosed === true;
  ${asking}
  ${styles}
  ${ofScripts}
  ${fields}
  ${animations}
  ${scrolls}
  ${layers}
  ${places}
  ${pictures}
  ${frames}
  const isLateHint = (link) => globalThis.seen?.lateLinks.has(link) === true && /^\\s*((dns-)?prefetch|(module)?preload|preconnect|prerender)\\s*$/i.test(link.rel);
  // an address that is over with the page, and another one each time
  const ofMoment = (element) => ["src", "href", "xlink:href", "poster"].filter((name) => /^\\s*blob:/i.test(element.getAttribute(name) ?? ""));
  // templates mark their places by comments, which are not part of a style sheet or a title, but would be read as its text
  const plainTexts = new Set(["style", "title", "textarea"]);
  const isMixed = (element) => plainTexts.has(nameOf(element)) && Array.from(element.childNodes).some(({ nodeType }) => nodeType !== Node.TEXT_NODE);
  const hasMoment = (element) => /blob:/i.test(element.getAttribute("style") ?? "");
  const isExtra = (element) => {
    const name = nameOf(element);
    if (name === "form") return false;
    if (shadowOf(element) !== null || moved.has(element) || hasMoment(element) || refused.has(element) || isOver(element) || isRinged(element) || atTop.has(element) || statesOf(element) !== "") return true;
    mayHide ||= name.includes("-");
    if (isMixed(element)) return true;
    switch (name) {
      case "canvas": return element.width * element.height > 0;
      case "style": return /blob:/i.test(element.textContent) || isChanged(element) || isSwitched(element) || isRefused(element);
      case "link": return isRefused(element) || isMadeUp(element) || isSwitched(element) || isLateHint(element);
      case "img": return /^blob:/i.test(element.currentSrc) && element.naturalWidth > 0;
      case "input": case "textarea": case "select": return isFilled(element);
      case "iframe": case "frame": return ofMoment(element).length > 0 || drawnIn(element) !== null;
      case "video": case "audio": case "source": case "embed": case "script": case "a": case "image": return ofMoment(element).length > 0;
      default: return false;
    }
  };
  const isUnlike = (page) => {
    noteRefused(page);
    noteMoved(page);
    noteScrolled(page);
    return adopted(page) !== "" || registered(page) !== "" || isXml(page) || isTakenOut(page) || Array.from(page.querySelectorAll("*")).some(isExtra);
  };

  const styleOf = (css, inert) => Object.assign(inert.createElement("style"), { textContent: css });
  const keepExtra = (element, twin, inert, depth) => {
    if (refused.has(element)) twin.removeAttribute("style");
    if (isMixed(element)) twin.textContent = element.textContent;
    const shadow = shadowOf(element);
    if (shadow !== null) {
      const template = inert.createElement("template");
      template.setAttribute("shadowrootmode", shadow.mode);
      noteRefused(shadow);
      for (const child of shadow.childNodes) template.content.append(inert.importNode(child, true));
      transfer(shadow, template.content, inert, depth);
      const css = adopted(shadow);
      if (css !== "") template.content.append(styleOf(css, inert));
      holdInPlace(template.content, inert);
      if (shadow.slotAssignment === "manual") nameSlots(element, twin, shadow, template.content, inert);
      twin.prepend(template);
    }
    switch (nameOf(element)) {
      case "style":
        twin.textContent = withoutMoments(element.textContent);
        if (isChanged(element)) twin.textContent = cssOf(element.sheet.cssRules);
        if (isRefused(element)) twin.setAttribute("media", "not all");
        if (isSwitched(element)) applySwitched(element, twin);
        break;
      case "link":
        if (isRefused(element)) twin.setAttribute("media", "not all");
        if (isLateHint(element)) twin.remove();
        if (isSwitched(element)) applySwitched(element, twin);
        if (isMadeUp(element)) {
          const style = styleOf(cssOf(element.sheet.cssRules), inert);
          if (twin.hasAttribute("media")) style.setAttribute("media", twin.getAttribute("media"));
          twin.replaceWith(style);
        }
        break;
      case "input": case "textarea": case "select":
        if (isFilled(element)) fill(element, twin);
        break;
      case "iframe": case "frame": {
        const page = depth < ${framesDeepMax} ? drawnIn(element) : null;
        if (page !== null) twin.setAttribute("srcdoc", basedOn(page, whole(page, depth + 1)));
        break;
      }
      case "img": {
        const address = /^blob:/i.test(element.currentSrc) ? imageAddress(element, inert) : null;
        if (address === null) break;
        twin.removeAttribute("srcset");
        twin.setAttribute("src", address);
        break;
      }
      case "canvas": draw(element, twin, inert);
    }
    const states = statesOf(element);
    if (states !== "") twin.setAttribute("${statesAttribute}", states);
    if (moved.has(element)) stay(element, twin);
    if (isOver(element)) layOver(element, twin);
    if (isRinged(element)) layRing(element, twin);
    if (atTop.has(element)) scrollThere(twin);
    for (const name of ofMoment(twin)) {
      const address = name === "poster" || nameOf(element) === "image" ? momentAddress(element.getAttribute(name)) : null;
      if (address === null) twin.removeAttribute(name);
      else twin.setAttribute(name, address);
    }
    if (hasMoment(twin)) twin.setAttribute("style", withoutMoments(twin.getAttribute("style")));
  };
  const transfer = (live, copy, inert, depth) => {
    const copies = copy.querySelectorAll("*");
    live.querySelectorAll("*").forEach((element, index) => {
      const twin = copies[index];
      // text where scripts run, elements where none do
      if (nameOf(element) === "noscript" && element.firstElementChild === null) twin.innerHTML = element.textContent;
      if (isExtra(element)) keepExtra(element, twin, inert, depth);
    });
  };

  const whole = (page, depth) => {
    // XHTML without a doctype is no page of old
    const head = page.doctype === null ? (isXml(page) ? "<!DOCTYPE html>\\n" : "") : new XMLSerializer().serializeToString(page.doctype) + "\\n";
    const root = page.documentElement;
    if (root === null) return head;
    if (!isUnlike(page)) return head + root.outerHTML;
    const css = [adopted(page), registered(page)].filter((each) => each !== "").join("\\n");
    // of no window: no element of the page's own is made, no script runs, nothing is loaded
    const inert = page.implementation.createHTMLDocument("");
    const copy = inert.importNode(root, true);
    transfer(root, copy, inert, depth);
    if (css !== "") {
      // adopted sheets come after all others
      const isLate = copy.querySelector("body style, body link[rel~=stylesheet i]") !== null;
      (copy.querySelector(isLate ? "body" : "head") ?? copy).append(styleOf(css, inert));
    }
    holdInPlace(copy, inert);
    if (isXml(page)) {
      asHtml(copy, inert);
      (copy.querySelector("head") ?? copy).prepend(...linksOf(page, inert));
    }
    return head + copy.outerHTML;
  };
  // Lit begins each of its parts with a number that it draws by lot
  const html = whole(shown, 0).replaceAll(/<!--\\?lit\\$\\d+\\$/g, "<!--?lit$");
  return { html, unkept, mayHide, unread: Array.from(unread) };
}`;
