import type { Namespace } from "./foreign-content.js";

/** A start tag whose name and attributes can be changed; one that is not changed keeps its spelling. */
export class EditableTag {
  isChanged = false;
  #name: string;
  #before = "";
  #after = "";
  #deferred: { name: string; value: () => string } | null = null;
  #frame: { markup: string; text: () => string } | null = null;

  /**
   * @param attributes names in lower case, values decoded; the tag takes ownership of the map
   * @param end the index in the page at which it ends
   */
  constructor(
    readonly originalName: string,
    readonly namespace: Namespace,
    readonly attributes: Map<string, string>,
    readonly isSelfClosing: boolean,
    readonly end: number,
  ) {
    this.#name = originalName;
  }

  get(name: string): string | undefined {
    return this.attributes.get(name);
  }

  has(name: string): boolean {
    return this.attributes.has(name);
  }

  set(name: string, value: string): void {
    if (this.attributes.get(name) === value) return;
    this.attributes.set(name, value);
    this.isChanged = true;
  }

  remove(...names: string[]): void {
    for (const name of names) if (this.attributes.delete(name)) this.isChanged = true;
  }

  rename(name: string): void {
    this.#name = name;
    this.isChanged = true;
  }

  /** Inserts before the tag a picture that looks as this element would. */
  insertPicture(address: string): void {
    this.#before += `<img src="${escapeAttribute(address)}"${this.#looks()}>`;
    this.isChanged = true;
  }

  /** Puts a frame before the tag that looks as this element would. @param text of its document, made once the whole page has been read */
  insertFrame(text: () => string): void {
    this.#frame = { markup: `<iframe sandbox frameborder="0"${this.#looks()}`, text };
    this.isChanged = true;
  }

  /** Closes the element right after its start tag. */
  closeAtOnce(): void {
    this.#after = `</${this.#name}>`;
    this.isChanged = true;
  }

  /** Turns an element without content into a `style`. @param css must contain no end tag of `style` */
  becomeStyle(css: string): void {
    this.#name = "style";
    this.#after = `${css}</style>`;
    this.isChanged = true;
  }

  /** Sets an attribute whose value is computed once the whole page has been read. */
  setLater(name: string, value: () => string): void {
    this.attributes.delete(name);
    this.#deferred = { name, value };
    this.isChanged = true;
  }

  /** Returns the tag as markup, in parts. */
  written(): (string | (() => string))[] {
    const frame = this.#frame;
    const before =
      frame === null ? [] : [`${frame.markup} srcdoc="`, () => escapeAttribute(frame.text()), `"></iframe>`];
    return [...before, ...this.#writtenItself()];
  }

  #looks(): string {
    const written = (name: string) => {
      const value = this.attributes.get(name);
      return value === undefined ? "" : ` ${name}="${escapeAttribute(value)}"`;
    };
    return ["class", "style", "width", "height", "align", "title"].map(written).join("");
  }

  #writtenItself(): (string | (() => string))[] {
    let text = `${this.#before}<${this.#name}`;
    for (const [name, value] of this.attributes)
      text += value === "" ? ` ${name}` : ` ${name}="${escapeAttribute(value)}"`;
    const end = (this.isSelfClosing ? " />" : ">") + this.#after;
    const later = this.#deferred;
    if (later === null) return [text + end];
    return [`${text} ${later.name}="`, () => escapeAttribute(later.value()), `"${end}`];
  }
}

/** Escapes a value for double quotes. */
function escapeAttribute(value: string): string {
  return /[&"<>]/.test(value)
    ? value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    : value;
}
