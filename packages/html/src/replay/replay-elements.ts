import { initialsOf } from "../tokenizer/attribute-reader.js";
import type { EditableTag } from "../tokenizer/editable-tag.js";
import type { LeftTags } from "../tokenizer/tag-editor.js";
import { lateBackground, loadNow } from "../links/lazy-loading.js";
import { missingImage, type ReplayPage } from "./replay-context.js";
import { editLink } from "./replay-link.js";
import { chooseCandidate } from "./choose-candidate.js";
import { editFrameset, frameStyle } from "./frameset.js";
import { lightScheme } from "./light-scheme.js";
import { answersAsSeen, matchesMedia } from "./media-query.js";
import { mapSrcset } from "../links/srcset.js";
import { isNeverKept, isScriptAddress, svgPaint } from "../links/url-attributes.js";

/** Elements whose `src` or `srcset` the rules below have replaced by the address of a stored copy. */
const showsSrc = new Set(["img", "image", "source", "video", "audio", "input"]);

/** Applies the rules of an element to its start tag. @returns whether it shows a picture that scripts would have loaded late */
export function editElement(tag: EditableTag, page: ReplayPage): boolean {
  const isLate = isPicture(tag) && loadNow(tag);
  if (tag.namespace === "html") editHtml(tag, page);
  else editForeign(tag, page);
  // on other elements they have no effect today, and outside addresses do not belong in a page that is kept for years
  if (tag.namespace !== "html" || !showsSrc.has(tag.originalName)) tag.remove("src", "srcset");
  for (const [name, value] of tag.attributes) if (isNeverKept(name) || isScriptAddress(name, value)) tag.remove(name);
  const style = tag.get("style");
  if (style !== undefined && (mayHoldUrl(style) || /color-scheme/i.test(style))) tag.set("style", page.css(style));
  const media = tag.get("media");
  if (media !== undefined) tag.set("media", answersAsSeen(media));
  return isLate;
}

const isPicture = ({ namespace, originalName }: EditableTag): boolean =>
  namespace === "html" && (originalName === "img" || originalName === "image");

/**
 * Start tags that name no file by the rules below; every attribute that could make one name a file begins with a letter in
 * `initials`.
 */
export const namesNoFile: LeftTags = {
  names: new Set(
    "a abbr article aside b blockquote br button caption cite code col colgroup dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd label legend li main mark nav ol optgroup option p pre q s samp section small span strong sub summary sup tbody td tfoot th thead time tr u ul var wbr".split(
      " ",
    ),
  ),
  unless: /style|background|data-bg/i,
  initials: initialsOf("style", "background", "data-bg"),
};

function editHtml(tag: EditableTag, page: ReplayPage): void {
  switch (tag.originalName) {
    case "a":
    case "area":
      return editAnchor(tag, page);
    case "link":
      return editLink(tag, page);
    case "img":
    case "image":
      return editImage(tag, page);
    case "source":
      loadNow(tag);
      asset(tag, "src", page, "media");
      chooseSource(tag, page);
      return srcset(tag, page);
    case "video":
    case "audio":
      loadNow(tag);
      tag.remove("autoplay");
      asset(tag, "src", page, "media");
      return asset(tag, "poster", page, "image");
    case "input":
      return asset(tag, "src", page, "image", missingImage);
    case "iframe":
    case "frame":
      return editFrame(tag, page);
    case "object":
      return editPlugin(tag, "data", page);
    case "embed":
      return editPlugin(tag, "src", page);
    case "frameset":
      return editFrameset(tag);
    case "script":
      if (page.isListing) listScript(tag, page);
      tag.remove("src", "async", "defer", "type", "charset");
      return tag.set("type", "text/plain");
    case "meta":
      return editMeta(tag);
    case "base":
      return tag.remove("href", "target");
    case "form":
      return tag.remove("target");
    case "track":
    case "bgsound":
    case "portal":
    case "fencedframe":
      return tag.remove("src");
    default:
      return editOther(tag, page);
  }
}

/** Script types of RFC 9239 and those used before it; scripts of other types are data to browsers, which load none. */
const scriptTypes = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma|j|live)script[\d.]*)$/i;

function listScript(tag: EditableTag, page: ReplayPage): void {
  const written = tag.get("src");
  const type = tag.get("type")?.trim() ?? "";
  if (written !== undefined && (type === "" || scriptTypes.test(type)) && !tag.has("nomodule"))
    page.asset(written, "script");
}

/** Rewrites a link so that it shows its address but opens nothing: the sandbox allows no new windows. */
function editAnchor(tag: EditableTag, page: ReplayPage): void {
  const href = tag.get("href");
  if (href === undefined || page.isListing) return;
  const target = page.link(href) ?? "#";
  tag.set("href", target);
  if (target.startsWith("#")) return tag.remove("target");
  tag.set("target", "_blank");
  tag.set("rel", "noopener noreferrer");
}

function editImage(tag: EditableTag, page: ReplayPage): void {
  if (isTrackingPixel(tag)) {
    tag.remove("srcset");
    return tag.set("src", missingImage);
  }
  asset(tag, "src", page, "image", missingImage);
  srcset(tag, page);
}

/** Whether a picture is invisible, and so only counts visits. */
function isTrackingPixel(tag: EditableTag): boolean {
  const tiny = (name: string) => /^[01](?:px)?$/.test(tag.get(name)?.trim() ?? "");
  return tiny("width") && tiny("height") && !/^\s*data:/i.test(tag.get("src") ?? "");
}

function editFrame(tag: EditableTag, page: ReplayPage): void {
  loadNow(tag);
  const { src, srcdoc, sandbox } = Object.fromEntries(tag.attributes);
  const isStill = sandbox !== undefined && !/(?:^|\s)allow-scripts(?:\s|$)/i.test(sandbox);
  tag.remove("src", "srcdoc");
  tag.set("sandbox", "");
  if (tag.originalName === "frame") {
    tag.rename("iframe");
    tag.set("style", `${frameStyle}; ${tag.get("style") ?? ""}`);
  }
  const isOfAddress = src !== undefined && src.trim() !== "";
  const text =
    srcdoc !== undefined
      ? page.inlineFrame(srcdoc, isOfAddress, isStill)
      : src === undefined
        ? null
        : page.frame(src, isStill);
  if (text !== null) tag.setLater("srcdoc", text);
  // `frame` has no end tag, `iframe` needs one: otherwise what follows would become its text
  if (tag.originalName === "frame") tag.closeAtOnce();
}

/** Plugins do not run; most of them only ever showed a picture, others a document as a frame does. */
function editPlugin(tag: EditableTag, name: "data" | "src", page: ReplayPage): void {
  const written = tag.get(name);
  const type = tag.get("type") ?? "";
  tag.remove(name);
  if (written === undefined || (name === "data" && page.isRefused(written))) return;
  if (namesPicture(written, type)) {
    const address = page.asset(written, "image");
    if (address === null) return;
    tag.insertPicture(address);
  } else {
    const text = namesDocument(written, type) ? page.frame(written, false) : null;
    if (text === null) return;
    tag.insertFrame(text);
  }
  tag.set("hidden", "");
}

function namesDocument(written: string, type: string): boolean {
  const isTyped = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(type.trim());
  return isTyped || (type === "" && /^[^?#]*\.(?:html?|xhtml)\s*(?:[?#]|$)/i.test(written));
}

function namesPicture(written: string, type: string): boolean {
  return /^image\//i.test(type.trim()) || (type === "" && /\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]|$)/i.test(written));
}

const keptDirectives = new Set(["content-type", "content-language", "default-style", "x-ua-compatible"]);

function editMeta(tag: EditableTag): void {
  const directive = tag.get("http-equiv")?.trim().toLowerCase();
  if (directive !== undefined && !keptDirectives.has(directive)) tag.remove("http-equiv", "content");
  // the text is served as UTF-8, whatever its charset was
  if (directive === "content-type") tag.set("content", "text/html; charset=utf-8");
  if (tag.has("charset")) tag.set("charset", "utf-8");
  const name = tag.get("name")?.trim().toLowerCase();
  if (name === "referrer") tag.remove("name", "content");
  if (name === "color-scheme") tag.set("content", lightScheme(tag.get("content") ?? ""));
}

function editOther(tag: EditableTag, page: ReplayPage): void {
  if (tag.has("background")) asset(tag, "background", page, "image");
  const late = tag.attributes.size > 0 ? lateBackground(tag) : undefined;
  if (late !== undefined && !/background/i.test(tag.get("style") ?? ""))
    tag.set(
      "style",
      `${tag.get("style") ?? ""};background-image:url("${late.replaceAll(/["\\\n]/g, encodeURIComponent)}")`,
    );
}

function editForeign(tag: EditableTag, page: ReplayPage): void {
  const name = tag.originalName;
  if (name === "script" || name === "handler" || name === "listener") {
    tag.rename("metadata");
    tag.remove("href", "xlink:href", "src");
    return;
  }
  for (const attribute of ["href", "xlink:href"]) {
    const written = tag.get(attribute);
    if (written === undefined || written.trim().startsWith("#")) continue;
    const replacement = foreignAddress(name, written, page);
    if (replacement === null) tag.remove(attribute);
    else tag.set(attribute, replacement);
    if (name === "a" && replacement !== null) tag.set("target", "_blank");
  }
  if (/^(?:set|animate)/.test(name) && /href/i.test(tag.get("attributename") ?? ""))
    tag.remove("to", "from", "by", "values");
  for (const [attribute, value] of tag.attributes)
    if (svgPaint.has(attribute) && mayHoldUrl(value)) tag.set(attribute, page.css(value));
}

function foreignAddress(name: string, written: string, page: ReplayPage): string | null {
  switch (name) {
    case "a":
      return page.link(written);
    case "image":
    case "feimage":
      return page.asset(written, "image");
    case "use":
      return page.sprite(written);
    default:
      return null;
  }
}

function asset(
  tag: EditableTag,
  name: string,
  page: ReplayPage,
  kind: "image" | "media",
  missing: string | null = null,
): void {
  const written = tag.get(name);
  if (written === undefined || written === "") return;
  const address = page.asset(written, kind) ?? missing;
  if (address === null) tag.remove(name);
  else tag.set(name, address);
}

/**
 * Decides the condition of a `source` of a `picture`: where it does not hold in the window the source is dropped, where it
 * holds the condition is.
 */
function chooseSource(tag: EditableTag, { window }: ReplayPage): void {
  const media = tag.get("media");
  if (window === null || media === undefined || !tag.has("srcset")) return;
  const isMet = matchesMedia(media, window);
  if (isMet === true) tag.remove("media");
  else if (isMet === false) tag.remove("srcset");
}

function srcset(tag: EditableTag, page: ReplayPage): void {
  const written = tag.get("srcset");
  if (written === undefined) return;
  const picture = (url: string) => page.asset(url, "image");
  const src = tag.originalName === "source" ? undefined : tag.get("src");
  const offer = { srcset: written, sizes: tag.get("sizes"), hasSrc: src !== undefined && src !== missingImage };
  const chosen = page.window === null ? null : chooseCandidate(offer, page.window, (url) => picture(url) !== null);
  const mapped = chosen === "src" ? "" : mapSrcset(written, picture, chosen);
  if (mapped === "") return tag.remove("srcset");
  tag.set("srcset", mapped);
  // where candidates have densities, `src` would be one more candidate
  if (chosen !== null && !/\dw$/.test(mapped)) tag.remove("src");
}

/** Whether CSS may name a file; an escape may hide the function name. */
function mayHoldUrl(css: string): boolean {
  return css.includes("(") && /url|image|src|cross|\\/i.test(css);
}
