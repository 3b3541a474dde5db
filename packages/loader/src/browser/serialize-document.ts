/** Pictures of canvases: so many, and so many characters of them in all, are kept in a page. */
const canvasesMax = 50;
const canvasMaxChars = 4 * 1024 * 1024;
const framesDeepMax = 3;

/**
 * An expression for a function of a document's own world that gives the document as HTML from which it can be shown again without its
 * scripts: what `outerHTML` says, and what it leaves out. Open shadow trees become declarative ones (`template shadowrootmode`), style
 * sheets that scripts adopted and rules that they put into others become the text of `style` elements, a canvas becomes a picture of
 * what it shows, and a frame that a script wrote gets its document as `srcdoc`. Where there is nothing of that kind, nothing is copied.
 */
export const serializeDocument = `(shown) => {
  let pictures = 0, pictureChars = 0;
  const cssOf = (rules) => Array.from(rules, (rule) => rule.cssText).join("\\n").replace(/<\\/(style)/gi, "<\\\\/$1");
  const rulesOf = (sheet) => { try { return sheet?.cssRules ?? null; } catch { return null; } };
  const isChanged = (style) => {
    const rules = rulesOf(style.sheet);
    if (rules === null) return false;
    if (style.textContent.trim() === "") return rules.length > 0;
    const fresh = new CSSStyleSheet();
    fresh.replaceSync(style.textContent);
    const own = Array.from(rules).filter((rule) => !(rule instanceof CSSImportRule));
    return own.length !== fresh.cssRules.length || own.some((rule, index) => rule.cssText !== fresh.cssRules[index].cssText);
  };
  const writtenIn = (frame) => {
    const address = frame.getAttribute("src") ?? "";
    if (frame.hasAttribute("srcdoc") || (address !== "" && !/^(about:blank|javascript:)/i.test(address))) return null;
    try { return frame.contentDocument?.body?.childNodes.length > 0 ? frame.contentDocument : null; } catch { return null; }
  };
  const isExtra = (element) => {
    if (element.shadowRoot !== null) return true;
    switch (element.localName) {
      case "canvas": return element.width * element.height > 0;
      case "style": return isChanged(element);
      case "iframe": return writtenIn(element) !== null;
      default: return false;
    }
  };
  const adopted = (scope) => Array.from(scope.adoptedStyleSheets ?? [], (sheet) => cssOf(sheet.cssRules)).filter((css) => css !== "").join("\\n");

  const transfer = (live, copy, inert, depth) => {
    const copies = copy.querySelectorAll("*");
    live.querySelectorAll("*").forEach((element, index) => {
      const twin = copies[index];
      // text where scripts run, elements where none do
      if (element.localName === "noscript") twin.innerHTML = element.textContent;
      if (!isExtra(element)) return;
      if (element.shadowRoot !== null) {
        const template = inert.createElement("template");
        template.setAttribute("shadowrootmode", "open");
        for (const child of element.shadowRoot.childNodes) template.content.append(inert.importNode(child, true));
        transfer(element.shadowRoot, template.content, inert, depth);
        const css = adopted(element.shadowRoot);
        if (css !== "") template.content.append(Object.assign(inert.createElement("style"), { textContent: css }));
        twin.prepend(template);
      }
      if (element.localName === "style") twin.textContent = cssOf(element.sheet.cssRules);
      if (element.localName === "iframe" && depth < ${framesDeepMax}) twin.setAttribute("srcdoc", whole(writtenIn(element), depth + 1));
      if (element.localName === "canvas" && pictures < ${canvasesMax}) {
        let address;
        try { address = element.toDataURL("image/png"); } catch { return; }
        if (pictureChars + address.length > ${canvasMaxChars}) return;
        pictures += 1;
        pictureChars += address.length;
        const image = inert.createElement("img");
        for (const { name, value } of element.attributes) image.setAttribute(name, value);
        image.setAttribute("width", element.width);
        image.setAttribute("height", element.height);
        if (!image.hasAttribute("alt")) image.setAttribute("alt", element.getAttribute("aria-label") ?? "");
        image.setAttribute("src", address);
        twin.replaceWith(image);
      }
    });
  };

  const whole = (page, depth) => {
    const head = page.doctype === null ? "" : new XMLSerializer().serializeToString(page.doctype) + "\\n";
    const root = page.documentElement;
    if (root === null) return head;
    const css = adopted(page);
    if (css === "" && !Array.from(page.querySelectorAll("*")).some(isExtra)) return head + root.outerHTML;
    // of no window: no element of the page's own is made, no script runs, nothing is loaded
    const inert = page.implementation.createHTMLDocument("");
    const copy = inert.importNode(root, true);
    transfer(root, copy, inert, depth);
    if (css !== "") (copy.querySelector("head") ?? copy).append(Object.assign(inert.createElement("style"), { textContent: css }));
    return head + copy.outerHTML;
  };
  return whole(shown, 0);
}`;
