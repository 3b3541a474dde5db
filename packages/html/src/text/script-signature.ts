import { AttributeReader } from "../tokenizer/attribute-reader.js";
import { characterCodes, endOfName } from "../tokenizer/character-codes.js";
import { endOfScript } from "../tokenizer/raw-text.js";

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
  const scripts = scriptsIn(html, pageUrl);
  if (/\son(?:load|error|pageshow|focus|toggle|animation(?:start|end)|transitionend|begin)\s*=/i.test(html))
    scripts.add("handlers");
  for (const frame of framesIn(html, pageUrl)) scripts.add(frame);
  if (scripts.size === 0) return null;
  return { scripts: [...scripts].toSorted().join("\n"), holders: holdersIn(html) };
}

/** Without query and fragment. */
const addressOf = (src: string, pageUrl: string): string =>
  (URL.parse(src, pageUrl)?.href ?? src).replace(/[?#].*$/s, "");

function scriptsIn(html: string, pageUrl: string): Set<string> {
  const codes = characterCodes(html);
  const attributes = new AttributeReader(html, codes);
  const found = new Set<string>();
  for (const { index } of html.matchAll(/<script(?=[\s/>])/gi)) {
    const nameEnd = endOfName(codes, index + 1);
    attributes.begin(nameEnd);
    const { type = "", src } = Object.fromEntries(attributes.collect(["type", "src"]));
    if (!runs(type)) continue;
    if (src !== undefined) found.add(addressOf(src, pageUrl));
    else {
      const from = attributes.skip(nameEnd);
      if (from === -1) break;
      const end = endOfScript(html, from);
      found.add(shapeOf(html.slice(from, Math.min(end === -1 ? html.length : end, from + inlineMaxChars))));
    }
  }
  return found;
}

/** Frames of the site, whose scripts may lead the page away and draw what is kept of it; those of others are nothing of the page's. */
function framesIn(html: string, pageUrl: string): string[] {
  return [...html.matchAll(/<i?frame\s([^>]{0,2000})/gi)].flatMap(([, attributes = ""]) => {
    if (/\bsrcdoc\s*=/i.test(attributes)) return ["frame of a text"];
    const src = /\bsrc\s*=\s*["']?\s*([^\s"'>]*)/i.exec(attributes)?.[1] ?? "";
    return src === "" || /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(src)
      ? []
      : [`frame ${addressOf(src, pageUrl).replaceAll(/\d+/g, "0")}`];
  });
}

/** Whether a script element runs: data blocks such as JSON-LD do not. */
export function runs(type: string): boolean {
  return /^(?:|module|.*(?:java|ecma)script(?:;.*)?)$/is.test(type.trim());
}

/** A script without the values that differ from page to page. */
function shapeOf(script: string): string {
  return script
    .replaceAll(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, "s")
    .replaceAll(/\d+/g, "0")
    .replaceAll(/\s+/g, " ")
    .trim();
}

const empty =
  /<(div|span|main|section|article|aside|p|ul|ol|dl|table|tbody|h[1-6]|strong|b|output|[a-z]+-[a-z\d-]*)(\s[^<>]*)?>\s{0,100}<\/\1>/gi;

function holdersIn(html: string): string {
  const found = new Set<string>();
  for (const [, name = "", attributes = ""] of html.matchAll(empty)) {
    if (found.size >= holdersMax) break;
    const own = name.toLowerCase();
    const names = [...attributes.matchAll(/\s(class|data-[\w-]+|id)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"']+))?/gi)];
    // an id alone is as a rule a place that links lead to
    const told = names.filter(([, key]) => key?.toLowerCase() !== "id");
    if (told.length === 0 && (own === "span" || own === "p" || names.length === 0) && !own.includes("-")) continue;
    const words = names.map(([, key = "", value = ""]) => (/^data-/i.test(key) ? key : `${key}=${value}`)).join(" ");
    found.add(`${own} ${words.replaceAll(/["']/g, "").replaceAll(/\d+/g, "0").slice(0, namesMaxChars)}`);
  }
  return [...found].toSorted().join("\n");
}
