import { AttributeReader, initialsOf } from "../tokenizer/attribute-reader.js";
import { characterCodes, isNameAt, isSpace } from "../tokenizer/character-codes.js";
import { eachStartTag, type Range } from "../tokenizer/start-tags.js";

/** Identifies which scripts run in a page, and what they may fill. Equal signatures can be expected to have equal effects. */
export interface ScriptSignature {
  /** Absolute addresses of external scripts, without queries, and the texts of inline ones, without the values in them. */
  scripts: string;
  /** Empty elements with a name, which scripts may fill. */
  holders: string;
}

const inlineMaxChars = 20_000;
const holdersMax = 200;
const namesMaxChars = 200;

/**
 * @param pageUrl the address of the page, which its scripts' addresses are resolved against: pages at other depths of a
 * site refer to the same scripts by other relative addresses
 * @returns null where no script runs in the page. Linear in the page.
 */
export function scriptSignature(html: string, pageUrl: string): ScriptSignature | null {
  const codes = characterCodes(html);
  const attributes = new AttributeReader(html, codes);
  const scripts = new Set<string>();
  const holders = new Set<string>();
  eachStartTag(html, codes, ({ name, nameEnd, end, initials, content }) => {
    if ((initials & handlerInitials) !== 0 && handler.test(html.slice(nameEnd, end))) scripts.add("handlers");
    if (name === "script") {
      const script = scriptAt(attributes, nameEnd, content, pageUrl);
      if (script !== null) scripts.add(script);
    } else if (name === "iframe" || name === "frame") {
      const frame = frameWith(html.slice(nameEnd, end - 1), pageUrl);
      if (frame !== null) scripts.add(frame);
    } else if (holders.size < holdersMax && mayHold(name) && isEmptyAt(codes, end, name)) {
      const holder = holderWith(name, html.slice(nameEnd, end - 1));
      if (holder !== null) holders.add(holder);
    }
  });
  if (scripts.size === 0) return null;
  return { scripts: [...scripts].toSorted().join("\n"), holders: [...holders].toSorted().join("\n") };
}

const handler = /[\s/"']on(?:load|error|pageshow|focus|toggle|animation(?:start|end)|transitionend|begin)\s*=/i;
const handlerInitials = initialsOf("onload");

/** Returns an absolute address without query and fragment. */
const addressOf = (src: string, pageUrl: string): string =>
  (URL.parse(src, pageUrl)?.href ?? src).replace(/[?#].*$/s, "");

/** @returns null where a script is data */
function scriptAt(attributes: AttributeReader, nameEnd: number, content: Range, pageUrl: string): string | null {
  attributes.begin(nameEnd);
  const { type = "", src } = Object.fromEntries(attributes.collect(["type", "src"]));
  if (!runs(type)) return null;
  if (src !== undefined) return addressOf(src, pageUrl);
  const shape = shapeOf(attributes.text.slice(content.from, Math.min(content.to, content.from + inlineMaxChars)));
  return shape === "" ? null : shape;
}

/**
 * Describes a frame of the site, whose scripts may navigate the page and draw what is kept of it; null for frames of other
 * sites, which are not part of the page.
 */
function frameWith(attributes: string, pageUrl: string): string | null {
  if (/\bsrcdoc\s*=/i.test(attributes)) return "frame of a text";
  const src = /\bsrc\s*=\s*["']?\s*([^\s"'>]*)/i.exec(attributes)?.[1] ?? "";
  return src === "" || /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(src)
    ? null
    : `frame ${addressOf(src, pageUrl).replaceAll(/\d+/g, "0")}`;
}

/** Whether a script element runs: data blocks such as JSON-LD do not. */
export function runs(type: string): boolean {
  return /^(?:|module|.*(?:java|ecma)script(?:;.*)?)$/is.test(type.trim());
}

/** Matches an assignment of a plain value to a name, which has no effect by itself. */
const namedValue = /^(?:var|let|const) [\w$]+ ?= ?(?:s|-?0(?:\.0)?|\[\])$/;

/**
 * Returns a script without the values that differ from page to page, without the lengths of its lists, the number of its
 * named values, and its repeated statements.
 */
function shapeOf(script: string): string {
  const shape = script
    .replaceAll(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, "s")
    .replaceAll(/\d+/g, "0")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\b([s0])(?: ?, ?\1\b)+/g, "$1")
    .replaceAll(/\[ ?[s0]? ?\]/g, "[]")
    .replaceAll(/(\{[^{}]*\})(?: ?, ?\1)+/g, "$1");
  const statements = new Set(shape.split(";").map((statement) => statement.trim()));
  return [...statements].filter((statement) => statement !== "" && !namedValue.test(statement)).join("; ");
}

const ordinaryHolders = new Set(
  "div span main section article aside p ul ol dl table tbody h1 h2 h3 h4 h5 h6 strong b output".split(" "),
);

const mayHold = (name: string): boolean => ordinaryHolders.has(name) || name.includes("-");

const blanksMax = 100;

/** Whether an element is empty, but for white space. */
function isEmptyAt(codes: Uint16Array, end: number, name: string): boolean {
  let at = end;
  while (at < end + blanksMax && isSpace(codes[at] ?? 0)) at += 1;
  return (
    codes[at] === 0x3c &&
    codes[at + 1] === 0x2f &&
    isNameAt(codes, at + 2, name) &&
    codes[at + 2 + name.length] === 0x3e
  );
}

/** @returns null for an element without a name that scripts would find it by */
function holderWith(name: string, attributes: string): string | null {
  const names = [...attributes.matchAll(/\s(class|data-[\w-]+|id)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"']+))?/gi)];
  // an id alone is usually a link target
  const told = names.filter(([, key]) => key?.toLowerCase() !== "id");
  if (told.length === 0 && (name === "span" || name === "p" || names.length === 0) && !name.includes("-")) return null;
  // a span with a class is found by that, and its id is a link target
  const kept = name === "span" ? told : names;
  const words = kept.map(([, key = "", value = ""]) => (/^data-/i.test(key) ? key : `${key}=${value}`)).join(" ");
  return `${name} ${words.replaceAll(/["']/g, "").replaceAll(/\d+/g, "0").slice(0, namesMaxChars)}`;
}
