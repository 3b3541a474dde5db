import { AttributeReader, initialsOf } from "../tokenizer/attribute-reader.js";
import { characterCodes, isNameAt, isSpace } from "../tokenizer/character-codes.js";
import { eachStartTag, type Range } from "../tokenizer/start-tags.js";

/** What says which scripts run in a page, and what they may fill. Equal ones can be expected to have equal effects. */
export interface ScriptSignature {
  /** Absolute addresses of scripts without queries, and the texts of others without the values in them. */
  scripts: string;
  /** Elements that stand empty and have a name, which scripts may fill. */
  holders: string;
}

const inlineMaxChars = 20_000;
const holdersMax = 200;
const namesMaxChars = 200;

/**
 * @param pageUrl address of the page, which those of its scripts are relative to: pages at other depths of a site name the same ones otherwise
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

/** Without query and fragment. */
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

/** Frames of the site, whose scripts may lead the page away and draw what is kept of it; those of others are nothing of the page's. */
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

/** A value that a script gives a name, which does nothing by itself. */
const namedValue = /^(?:var|let|const) [\w$]+ ?= ?(?:s|-?0(?:\.0)?|\[\])$/;

/** A script without the values that differ from page to page, and without how many of them a list has, how many it names, and what it does again. */
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

/** Whether an element ends where its start tag does, but for white space. */
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

/** @returns null for one that has no name which scripts would know it by */
function holderWith(name: string, attributes: string): string | null {
  const names = [...attributes.matchAll(/\s(class|data-[\w-]+|id)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"']+))?/gi)];
  // an id alone is as a rule a place that links lead to
  const told = names.filter(([, key]) => key?.toLowerCase() !== "id");
  if (told.length === 0 && (name === "span" || name === "p" || names.length === 0) && !name.includes("-")) return null;
  // a span with a class is known by it, and has an id to be led to
  const kept = name === "span" ? told : names;
  const words = kept.map(([, key = "", value = ""]) => (/^data-/i.test(key) ? key : `${key}=${value}`)).join(" ");
  return `${name} ${words.replaceAll(/["']/g, "").replaceAll(/\d+/g, "0").slice(0, namesMaxChars)}`;
}
