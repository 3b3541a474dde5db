import { AttributeReader } from "@web-tester/html/tokenizer/attribute-reader";
import { characterCodes } from "@web-tester/html/tokenizer/character-codes";
import { DomHandler, type Element } from "domhandler";
import { Parser } from "htmlparser2";
import { type Document, findElements, type Selector } from "./find-elements.js";
import { NotApplied } from "./not-applied.js";

/** A part of a page's source, in UTF-16 units, end exclusive. */
export type Range = readonly [from: number, to: number];

/** The source of one page, and its elements, which are parsed when a rule first asks for them. Immutable. */
export class Page {
  #document: Document | NotApplied | null = null;
  #attributes: AttributeReader | null = null;

  constructor(readonly html: string) {}

  /** Returns the elements that a selector matches. @throws NotApplied where finding them would take too long */
  elements(selector: Selector): Element[] {
    this.#document ??= readDocument(this.html);
    if (this.#document instanceof NotApplied) throw this.#document;
    return findElements(this.#document, selector);
  }

  /** Returns the range of an element: from its start tag to its end tag, or to its end without one. */
  rangeOf(element: Element): Range {
    const from = element.startIndex ?? 0;
    let to = (element.endIndex ?? from) + 1;
    // the parser reports an element that is closed by the next start tag to end after that tag
    const next = element.nextSibling?.startIndex;
    if (next !== null && next !== undefined && next < to) to = next;
    if (to === (element.endIndex ?? from) + 1) to = this.#beforeEndTagOfAncestor(element, to);
    return [from, Math.max(from, to)];
  }

  /** Returns the content of an element, between its tags; an empty range where there is none. */
  contentOf(element: Element): Range {
    const [, end] = this.rangeOf(element);
    let from = (element.startIndex ?? 0) + 1 + element.name.length;
    for (const name of Object.keys(element.attribs))
      from = Math.max(from, this.attribute(element, name)?.range[1] ?? 0);
    const close = this.html.indexOf(">", from);
    if (close === -1 || close >= end) return [end, end];
    const tag = this.#endTagBefore(end);
    const isEnded = tag > close && this.#isNamed(tag + 2, element.name);
    return [close + 1, isEnded ? tag : end];
  }

  /** Corrects the end of an element that is closed by the end tag of an ancestor: the parser reports it after that tag. */
  #beforeEndTagOfAncestor(element: Element, to: number): number {
    const tag = this.#endTagBefore(to);
    if (tag === -1) return to;
    for (let outer = element.parent; outer !== null && outer.endIndex === element.endIndex; outer = outer.parent) {
      if (!("name" in outer)) break;
      const isTag = this.#isNamed(tag + 2, outer.name);
      if (isTag && outer.name !== element.name) return tag;
    }
    return to;
  }

  /**
   * Returns where the end tag begins that ends at a place; -1 where none does. It searches for `<`, which is near in most
   * pages, and not for `</`, which a page may lack.
   */
  #endTagBefore(end: number): number {
    if (this.html[end - 1] !== ">") return -1;
    const tag = this.html.lastIndexOf("<", end - 1);
    return this.html[tag + 1] === "/" ? tag : -1;
  }

  /** Whether a name is at a place, ignoring case: SVG elements keep their capitals. */
  #isNamed(at: number, name: string): boolean {
    return this.html.slice(at, at + name.length).toLowerCase() === name.toLowerCase();
  }

  /**
   * Returns the place of the first attribute with a name in the start tag of an element, its value included; null where
   * there is none.
   */
  attribute(element: Element, name: string): { range: Range; value: Range } | null {
    // a copy: several pages are processed alternately, and codes are valid only until those of another page are requested
    this.#attributes ??= new AttributeReader(this.html, characterCodes(this.html).slice());
    const reader = this.#attributes;
    reader.begin((element.startIndex ?? 0) + 1 + element.name.length);
    while (reader.next()) if (reader.is(name)) return reader.place();
    return null;
  }
}

/** The deepest nesting of elements; browsers show no more than 512. The parser's time per element grows with its depth. */
const depthMax = 5_000;

class BoundedHandler extends DomHandler {
  override onopentag(name: string, attribs: Record<string, string>): void {
    super.onopentag(name, attribs);
    if (this.tagStack.length > depthMax) throw new NotApplied("the page is nested too deeply for a selector");
  }
}

function readDocument(html: string): Document | NotApplied {
  const handler = new BoundedHandler(undefined, { withStartIndices: true, withEndIndices: true });
  try {
    new Parser(handler).end(html);
    return handler.root;
  } catch (error) {
    if (error instanceof NotApplied) return error;
    throw error;
  }
}
