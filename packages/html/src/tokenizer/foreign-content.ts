/** The namespace that a tag's element belongs to. */
export type Namespace = "html" | "svg" | "math";

interface OpenElement {
  name: string;
  namespace: Namespace;
  /** Which start tags inside it are HTML: `html` all of them, `text` all but mglyph and malignmark, null none. */
  integration: "html" | "text" | null;
}

/**
 * The open elements inside the outermost `svg` or `math`. It implements enough of tree construction (WHATWG HTML
 * §13.2.6.5) to know what is foreign: there `style`, `script` and `title` hold markup, CDATA sections exist, and `link`,
 * `base`, `iframe` are no links.
 *
 * Exact for well-nested content, self-closing tags, break-out tags and integration points. Approximate, as the HTML
 * elements outside are not known: an end tag of an element that is not open inside closes the whole foreign content where
 * `isOpenOutside` believes it open outside; end tags look at most `reach` elements deep; of HTML's implied end tags inside
 * an integration point only those of `p` and `li` are known.
 */
export class ForeignContent {
  #open: OpenElement[] = [];

  get isActive(): boolean {
    return this.#open.length > 0;
  }

  /** Whether the current node is foreign, so that `<![CDATA[` opens a CDATA section. */
  get isForeign(): boolean {
    const current = this.#open.at(-1);
    return current !== undefined && current.namespace !== "html";
  }

  /** Whether the current node is an SVG element whose content is SVG too, unless a tag breaks out. */
  get isDrawing(): boolean {
    const current = this.#open.at(-1);
    return current !== undefined && current.namespace === "svg" && current.integration === null;
  }

  /** Opens a shape of a drawing (`shapes`); only to be called where `isDrawing`. */
  openShape(name: string): void {
    this.#open.push({ name, namespace: "svg", integration: null });
  }

  /** Closes the current node where an end tag names it; only to be called where `isDrawing`. @returns whether it did */
  closeShape(name: string): boolean {
    if (this.#open.at(-1)?.name !== name) return false;
    this.#open.pop();
    return true;
  }

  /** Opens the element of a start tag and returns its namespace; only to be called while active. */
  startTag(name: string, attributes: ReadonlyMap<string, string>, isSelfClosing: boolean): Namespace {
    if (this.isForeign && !this.#integrates(name)) {
      if (!breaksOut(name, attributes)) return this.#openForeign(name, attributes, isSelfClosing);
      this.#closeToHtml();
    }
    if (!this.isActive) return "html";
    this.#openHtml(name);
    return "html";
  }

  /** Opens the `svg` or `math` that an HTML start tag of that name makes. */
  enter(name: "svg" | "math"): void {
    this.#open.push({ name, namespace: name, integration: null });
  }

  /**
   * Closes what an end tag closes; only to be called while active. `isOpenOutside` is called for elements that are not
   * open inside.
   */
  endTag(name: string, isOpenOutside: () => boolean): void {
    if (this.isForeign && (name === "p" || name === "br")) this.#closeToHtml();
    const isForeign = this.isForeign;
    const lowest = Math.max(0, this.#open.length - reach);
    for (let index = this.#open.length - 1; index >= lowest; index -= 1) {
      const element = this.#open[index];
      if (element === undefined || (element.namespace !== "html" && !isForeign)) return;
      if (element.name === name && (element.namespace === "html") === (this.#open.at(-1)?.namespace === "html")) {
        this.#open.length = index;
        return;
      }
      if (element.namespace === "html" && isForeign) return this.#closeHtmlBelow(index, name);
    }
    if (lowest === 0 && isForeign && isOpenOutside()) this.#open.length = 0;
  }

  #closeHtmlBelow(from: number, name: string): void {
    const lowest = Math.max(0, from - reach);
    for (let index = from; index >= lowest; index -= 1) {
      const element = this.#open[index];
      if (element === undefined || element.namespace !== "html") return;
      if (element.name === name) {
        this.#open.length = index;
        return;
      }
    }
  }

  #integrates(name: string): boolean {
    const current = this.#open.at(-1);
    if (current === undefined || current.integration === "html") return true;
    if (current.integration === "text") return name !== "mglyph" && name !== "malignmark";
    return current.name === "annotation-xml" && current.namespace === "math" && name === "svg";
  }

  #openForeign(name: string, attributes: ReadonlyMap<string, string>, isSelfClosing: boolean): Namespace {
    const namespace = this.#open.at(-1)?.namespace ?? "svg";
    if (!isSelfClosing) this.#open.push({ name, namespace, integration: integrationOf(name, namespace, attributes) });
    return namespace;
  }

  #openHtml(name: string): void {
    if (closesParagraph.has(name)) this.#closeImplied("p");
    if (name === "li") this.#closeImplied("li");
    if (name !== "svg" && name !== "math" && !holdsNothing.has(name))
      this.#open.push({ name, namespace: "html", integration: null });
  }

  #closeImplied(name: string): void {
    const current = this.#open.at(-1);
    if (current?.namespace === "html" && current.name === name) this.#open.pop();
  }

  #closeToHtml(): void {
    for (
      let current = this.#open.at(-1);
      current !== undefined && current.namespace !== "html" && current.integration === null;
      current = this.#open.at(-1)
    )
      this.#open.pop();
  }
}

/** The shapes of drawings: SVG elements that neither break out of it, nor contain HTML, nor link. */
export const shapes: ReadonlySet<string> = new Set(
  "circle clippath defs ellipse g line marker path polygon polyline rect text tspan use".split(" "),
);

const reach = 100;

function integrationOf(
  name: string,
  namespace: Namespace,
  attributes: ReadonlyMap<string, string>,
): OpenElement["integration"] {
  if (namespace === "svg") return name === "foreignobject" || name === "desc" || name === "title" ? "html" : null;
  if (name === "mi" || name === "mo" || name === "mn" || name === "ms" || name === "mtext") return "text";
  const encoding = name === "annotation-xml" ? attributes.get("encoding")?.toLowerCase() : undefined;
  return encoding === "text/html" || encoding === "application/xhtml+xml" ? "html" : null;
}

function breaksOut(name: string, attributes: ReadonlyMap<string, string>): boolean {
  return (
    breakOuts.has(name) ||
    (name === "font" && (attributes.has("color") || attributes.has("face") || attributes.has("size")))
  );
}

const breakOuts = new Set(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split(
    " ",
  ),
);

const closesParagraph = new Set(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul xmp".split(
    " ",
  ),
);

/** Void elements, those whose text the scanner skips together with their end tag, and those that are ignored inside a body. */
const holdsNothing = new Set(
  "area base basefont bgsound br body col embed frame frameset head hr html iframe img input keygen link meta noembed noframes param plaintext script select source style template textarea title track wbr xmp".split(
    " ",
  ),
);
