import { AttributeReader } from "../tokenizer/attribute-reader.js";
import { characterCodes, endOfName } from "../tokenizer/character-codes.js";
import { scanLinks } from "../links/scan-links.js";
import { runs as runsAsScript } from "./script-signature.js";
import { visibleText } from "./visible-text.js";

/**
 * Whether a page is a JavaScript shell: a document that shows next to nothing until its scripts have run, so that only a
 * browser gets its content. True where it loads scripts, has fewer than 250 visible characters and at most 3 links, and
 * - holds an element that frameworks render into (`id=root`, `app`, `__next`, …, `app-root`, `ng-app`), or
 * - asks in `noscript` to turn JavaScript on, or
 * - shows fewer than 20 characters and no picture, form or frame.
 * Linear in the page; a page with content is recognised by its first few hundred characters of text.
 */
export function isJsShell(html: string): boolean {
  if (!/<script[\s/>]/i.test(html)) return false;
  if (visibleText(html, { maxChars: textMaxChars, enough: enoughChars }).length >= enoughChars) return false;
  const signs = readSigns(html);
  if (!signs.hasScript) return false;
  const { links } = scanLinks(html);
  if (links.filter(({ kind }) => kind === "a" || kind === "area").length > 3) return false;
  if (links.some(({ kind }) => kind === "refresh" || kind === "frame")) return false;
  return signs.hasAppRoot || signs.asksForScript || (!signs.hasOtherContent && visibleText(html).length < 20);
}

interface Signs {
  hasScript: boolean;
  hasAppRoot: boolean;
  asksForScript: boolean;
  hasOtherContent: boolean;
}

const enoughChars = 250;
const textMaxChars = 20_000;

/**
 * Reads the signs in one pass over the start tags; those inside comments or scripts count too, which only ever errs
 * towards using a browser.
 */
function readSigns(html: string): Signs {
  const signs: Signs = { hasScript: false, hasAppRoot: false, asksForScript: false, hasOtherContent: false };
  const codes = characterCodes(html);
  const attributes = new AttributeReader(html, codes);
  let noscripts = 0;
  for (const match of html.matchAll(tags)) {
    const name = (match[1] ?? "").toLowerCase();
    if (name === "script") signs.hasScript ||= runs(attributes, endOfName(codes, match.index + 1));
    else if (name === "noscript") signs.asksForScript ||= (noscripts += 1) <= 5 && asksForScript(html, match.index);
    else if (name === "app-root" || name === "ng-app") signs.hasAppRoot = true;
    else if (holders.has(name)) signs.hasAppRoot ||= isAppRoot(attributes, endOfName(codes, match.index + 1));
    else signs.hasOtherContent = true;
  }
  return signs;
}

const holders = new Set(["div", "main", "section", "body"]);
const tags =
  /<(script|noscript|app-root|ng-app|div|main|section|body|img|picture|video|audio|canvas|object|embed|iframe|form|input|svg|table)(?=[\s/>])/gi;

/** Whether a script element runs: data blocks such as JSON-LD do not. */
function runs(attributes: AttributeReader, from: number): boolean {
  attributes.begin(from);
  return runsAsScript(attributes.collect(["type"]).get("type") ?? "");
}

const appRoots =
  /^(?:root|app|app-root|main-app|react-root|react-app|vue-app|ember-app|svelte|__next|__nuxt|__sveltekit|___gatsby|q-app|mount|application)$/i;

function isAppRoot(attributes: AttributeReader, from: number): boolean {
  attributes.begin(from);
  const values = attributes.collect(["id", "ng-app", "data-ng-app", "data-reactroot", "ng-version"]);
  return (
    appRoots.test(values.get("id")?.trim() ?? "") ||
    ["ng-app", "data-ng-app", "data-reactroot", "ng-version"].some((name) => values.has(name))
  );
}

function asksForScript(html: string, at: number): boolean {
  return /(?:enable|activate|turn on|requires?|needs?|without)\W{1,5}(?:\w+\W{1,5}){0,4}?java\s?script|java\s?script\W{1,5}(?:\w+\W{1,5}){0,4}?(?:enabled?|required|needed|disabled|turned off|aktiv\w*|benötigt)/i.test(
    html.slice(at, at + 1_000),
  );
}
