import { ForeignContent, type Namespace } from "./foreign-content.js";
import { seemsOpen } from "./seems-open.js";

/** The result of tree construction for a start tag: an element of a namespace, or nothing. */
export type Placement = Namespace | "ignored";

interface Context {
  foreign: ForeignContent;
  isInSelect: boolean;
  openTables: number;
  /** Whether links count here: false inside inert templates. */
  isRendered: boolean;
}

/**
 * Follows HTML tree construction (WHATWG HTML §13.2.6) as far as it decides which tags become elements, without building a
 * tree: templates, the `select` modes (as in parse5 8), framesets and foreign content. Memory grows with open templates
 * and foreign elements only; a tag costs constant time.
 */
export class TreeTracker {
  #outer: Context[] = [];
  #here: Context = { foreign: new ForeignContent(), isInSelect: false, openTables: 0, isRendered: true };
  /** `open`: a frameset may still replace the body; `no`: it may not; a number: the depth of open framesets, 0 after the last. */
  #frameset: "open" | "no" | number = "open";
  #isHeadOver = false;
  hasBody = false;
  #lookBacks = 0;
  /**
   * The index after the start of the last `noscript` in the head: it ends at the first tag that does not belong in a head,
   * and its end tag then closes nothing.
   */
  #headNoscripts = 0;
  /** The index of the start tag before the foreign content: whatever its end tags may close was opened before. */
  #foreignStart = 0;

  /** @param codes the code units of the text (`characterCodes`) */
  constructor(
    readonly source: string,
    readonly codes: Uint16Array,
  ) {}

  /** Whether only tags that link, hold raw text or change the context matter here. */
  get isPlain(): boolean {
    return this.#frameset === "no" && this.hasBody && !this.#here.isInSelect && !this.#here.foreign.isActive;
  }

  /** The open drawing, where its shapes and its text need no other handling; else null. */
  get drawing(): ForeignContent | null {
    const { foreign, isInSelect } = this.#here;
    return foreign.isDrawing && !isInSelect && this.#frameset === "no" && this.hasBody ? foreign : null;
  }

  get isRendered(): boolean {
    return this.#here.isRendered;
  }

  get allowsCdata(): boolean {
    return this.#here.foreign.isForeign;
  }

  /** Whether it still matters that a text is more than white space. */
  get watchesText(): boolean {
    return this.#isEarly && this.#outer.length === 0;
  }

  /** Takes note of text that is more than white space; NULs alone begin a body too, but are dropped in it. */
  text(isNul = false): void {
    this.hasBody = true;
    if (!isNul) this.#frameset = "no";
  }

  /** Whether it is still undecided what the page's body is. */
  get #isEarly(): boolean {
    return this.#frameset === "open" || (this.#frameset === "no" && !this.hasBody);
  }

  /** @param at where the tag is in the text */
  startTag(name: string, attributes: ReadonlyMap<string, string>, isSelfClosing: boolean, at: number): Placement {
    if (typeof this.#frameset === "number") return this.#inFrameset(name);
    if (this.#here.isInSelect && !this.#leavesSelect(name)) return this.#inSelect(name, attributes);
    const { foreign } = this.#here;
    if (foreign.isActive) {
      const namespace = foreign.startTag(name, attributes, isSelfClosing);
      if (namespace !== "html") return namespace;
    }
    if (!foreign.isActive) this.#foreignStart = at;
    if (name === "noscript" && !this.hasBody && !this.#isHeadOver && this.#outer.length === 0)
      this.#headNoscripts = at + 1;
    return this.#inHtml(name, attributes, isSelfClosing);
  }

  /** @param at where the tag is in the text */
  endTag(name: string, at: number): void {
    const here = this.#here;
    if (typeof this.#frameset === "number") {
      if (name === "frameset" && this.#frameset > 0) this.#frameset -= 1;
    } else if (name === "template") this.#leaveTemplate();
    else if (here.isInSelect) this.#endTagInSelect(name, at);
    else {
      if (name === "table" && here.openTables > 0 && !here.foreign.isForeign) here.openTables -= 1;
      if (here.foreign.isActive) here.foreign.endTag(name, () => this.#seemsOpen(name, this.#foreignStart));
      if (this.#isEarly) this.#endTagEarly(name);
    }
  }

  #inHtml(name: string, attributes: ReadonlyMap<string, string>, isSelfClosing: boolean): Placement {
    if (name === "frameset") return this.#enterFrameset();
    if (this.#isEarly) this.#startTagEarly(name, attributes);
    if (name === "frame") return "ignored";
    switch (name) {
      case "svg":
      case "math":
        if (!isSelfClosing) this.#here.foreign.enter(name);
        return name;
      case "template":
        this.#enterTemplate(attributes);
        break;
      case "select":
        this.#here.isInSelect = true;
        break;
      case "table":
        this.#here.openTables += 1;
        break;
    }
    return "html";
  }

  #enterTemplate(attributes: ReadonlyMap<string, string>): void {
    const shadow = attributes.get("shadowrootmode")?.toLowerCase();
    const isShown = shadow === "open" || shadow === "closed";
    this.#outer.push(this.#here);
    this.#here = {
      foreign: new ForeignContent(),
      isInSelect: false,
      openTables: 0,
      isRendered: this.#here.isRendered && isShown,
    };
  }

  #leaveTemplate(): void {
    this.#here = this.#outer.pop() ?? this.#here;
  }

  #leavesSelect(name: string): boolean {
    const leaves = endsSelect.has(name) || (this.#here.openTables > 0 && tableParts.has(name));
    if (leaves) this.#here.isInSelect = false;
    return leaves;
  }

  #inSelect(name: string, attributes: ReadonlyMap<string, string>): Placement {
    if (name === "select") this.#here.isInSelect = false;
    if (name === "template") this.#enterTemplate(attributes);
    return name === "script" || name === "template" ? "html" : "ignored";
  }

  #endTagInSelect(name: string, at: number): void {
    const here = this.#here;
    const endsPart = here.openTables > 0 && tableParts.has(name) && (name === "table" || this.#seemsOpen(name, at));
    if (name === "select" || endsPart) here.isInSelect = false;
    if (endsPart && name === "table") here.openTables -= 1;
  }

  #startTagEarly(name: string, attributes: ReadonlyMap<string, string>): void {
    if (forbidsFrameset.has(name) || (name === "input" && attributes.get("type")?.toLowerCase() !== "hidden"))
      this.#frameset = "no";
    if (this.#outer.length > 0) return;
    if (!headElements.has(name) || (name === "noscript" && this.#isHeadOver)) this.hasBody = true;
  }

  #endTagEarly(name: string): void {
    if (this.#outer.length > 0) return;
    if (name === "head") this.#isHeadOver = true;
    if (name === "body" || name === "html" || name === "br") this.hasBody = true;
    if (name === "br") this.#frameset = "no";
  }

  /** Whether an element seems to be open; scans the text before at most 20 times, which keeps the time linear. */
  #seemsOpen(name: string, at: number): boolean {
    this.#lookBacks += 1;
    const from = name === "noscript" ? this.#headNoscripts : 0;
    return this.#lookBacks > 20 || seemsOpen(this.source, this.codes, at, name, from);
  }

  #enterFrameset(): Placement {
    if (this.#outer.length > 0 || (this.hasBody && this.#frameset === "no")) return "ignored";
    this.#frameset = 1;
    this.#here = { foreign: new ForeignContent(), isInSelect: false, openTables: 0, isRendered: true };
    return "html";
  }

  #inFrameset(name: string): Placement {
    if (name === "noframes") return "html";
    if (this.#frameset === "no" || this.#frameset === "open" || this.#frameset === 0) return "ignored";
    if (name === "frameset") this.#frameset += 1;
    return name === "frame" || name === "frameset" ? "html" : "ignored";
  }
}

const headElements = new Set(
  "html head base basefont bgsound link meta title noscript noframes style script template".split(" "),
);
const endsSelect = new Set(["input", "keygen", "textarea"]);
const tableParts = new Set(["caption", "table", "tbody", "tfoot", "thead", "tr", "td", "th"]);
const forbidsFrameset = new Set(
  "applet area body br button dd dt embed hr iframe image img keygen li listing marquee object pre select table template textarea wbr xmp".split(
    " ",
  ),
);
