import { boundedBase, readReference } from "../links/asset-kind.js";
import { mapCssUrls } from "../links/css-urls.js";
import { dataText } from "../links/data-text.js";
import type { EditableTag } from "../tokenizer/editable-tag.js";
import type { ShownWindow } from "./css-length.js";
import { missingInCss, nestedDepthMax, type ReplayContext, type ReplayPage } from "./replay-context.js";
import { asksForAttribute } from "./custom-states.js";
import { framesetStyle } from "./frameset.js";
import { inLightScheme } from "./light-scheme.js";
import { answersAsSeen } from "./media-query.js";
import { editElement, namesNoFile } from "./replay-elements.js";
import { isOfQuirks, quirksStyle } from "./quirks.js";
import { scanLinks } from "../links/scan-links.js";
import { scriptNotices } from "./script-notice.js";
import { spriteMarkup } from "./sprite.js";
import { createStylePolicy, type StylePolicy } from "./style-policy.js";
import { editTags } from "../tokenizer/tag-editor.js";

/**
 * Rewrites a stored page so that it can be shown years later without any request to its site: addresses of assets are
 * replaced by those of their stored copies, in markup and in CSS, nested documents become `srcdoc`, and what would run,
 * navigate, submit or fetch is removed. Links keep their address, but cannot be followed inside a sandbox.
 *
 * This makes pages look right; the headers that they are served with make them harmless. Time is linear in the page.
 */
export function rewriteForReplay(html: string, context: ReplayContext): string {
  return rewritePage(html, context, 0);
}

/**
 * Rewrites a stylesheet, whose addresses are relative to its own. Custom elements count as defined, as they were when
 * somebody saw them: many sites hide undefined ones. Their states are selected by the attribute that rendered pages are
 * stored with, scripts count as running, and light colours as preferred.
 */
export function rewriteCss(css: string, context: Pick<ReplayContext, "baseUrl" | "address">): string {
  const bounded = { ...context, baseUrl: boundedBase(context.baseUrl) };
  const mapped = mapCssUrls(css, (written, kind) => cssAddress(written, kind, bounded));
  return inLightScheme(answersAsSeen(asksForAttribute(mapped.replaceAll(definedOnly, anyElement))));
}

/** Hides the controls that browsers without scripts put on every video, as if its page had asked for them. */
const withoutControls = "<style>video:not([controls])::-webkit-media-controls{display:none!important}</style>";

/** The base of documents in `data:` addresses, which have nothing to be relative to. */
const dataBase = "data:,";

/** Matches `:defined` in a selector; before the end of a declaration it would be a value. */
const definedOnly = /:defined(?![\w-]|\s*[;}!])/gi;
/** Matches every element, with the same specificity. */
const anyElement = ":nth-child(n)";

function rewritePage(html: string, outer: ReplayContext, depth: number): string {
  // the files of hidden elements are not needed
  let isHidden = false;
  // the noscript after a lazily loaded picture repeats the same picture
  let isShownAlready = false;
  let hasBareVideo = false;
  let hasFrameset = false;
  const isNotice = scriptNotices(html);
  const styles = outer.policies === undefined ? null : createStylePolicy(outer.policies);
  let nonce: string | undefined;
  const context: ReplayContext = {
    ...outer,
    baseUrl: boundedBase(baseOf(html, outer.baseUrl)),
    address: (url, kind) => (isHidden ? null : outer.address(url, kind)),
    document: (url) => (isHidden ? null : outer.document(url)),
    sprite: (url) => (isHidden ? null : outer.sprite(url)),
  };
  const sprites = new Map<string, { prefix: string; svg: string }>();
  const page = pageOf(context, depth, sprites, styles);
  const text = editTags(html, {
    ...(context.isListing === true ? { leaves: namesNoFile } : {}),
    startTag: (tag: EditableTag) => {
      if (styles !== null) obeyPolicy(tag, styles);
      if (tag.originalName === "style") nonce = tag.get("nonce");
      if (tag.originalName === "noscript" && (context.noscript === "hide" || isShownAlready || isNotice(tag.end))) {
        isHidden = true;
        tag.rename("template");
      }
      if (tag.originalName === "video" && !tag.has("controls")) hasBareVideo = context.isListing !== true;
      if (tag.originalName === "frameset") hasFrameset = context.isListing !== true;
      isShownAlready = editElement(tag, page) && context.isListing !== true;
    },
    rawText: (name, content) => {
      if (name === "script" || name === "iframe") return "";
      if (name === "style") return styles?.refusesElement(content, nonce) === true ? "" : page.css(content);
      return undefined;
    },
    endTag: (name, namespace) => {
      const isOfHidden = isHidden || context.noscript === "hide";
      if (name !== "noscript" || !isOfHidden) return endTagName(name, namespace);
      isHidden = false;
      return "template";
    },
  });
  const parts = [...sprites.values()].map(({ prefix, svg }) => spriteMarkup(svg, prefix, page)).join("");
  return text + parts + (hasBareVideo ? withoutControls : "") + (hasFrameset ? framesetStyle : "");
}

/** Takes out what a policy of the site kept from being seen, and notes the policies that stand in the page. */
function obeyPolicy(tag: EditableTag, styles: StylePolicy): void {
  const css = tag.get("style");
  if (css !== undefined && styles.refusesAttribute(css)) tag.remove("style");
  if (tag.originalName === "meta" && tag.get("http-equiv")?.trim().toLowerCase() === "content-security-policy")
    for (const policy of (tag.get("content") ?? "").split(",")) styles.add(policy);
}

function pageOf(
  context: ReplayContext,
  depth: number,
  sprites: Map<string, { prefix: string; svg: string }>,
  styles: StylePolicy | null,
): ReplayPage {
  const { baseUrl } = context;
  // a text in the page inherits its policies, a document has its own
  const nested = (html: string, base: string, policies: readonly string[] | undefined = styles?.policies) =>
    depth >= nestedDepthMax ? null : () => rewritePage(html, { ...context, baseUrl: base, policies }, depth + 1);
  const framed = (html: string, base: string, policies?: readonly string[]) => {
    const text = nested(html, base, policies);
    return text !== null && !context.isListing && isOfQuirks(html) ? () => quirksStyle + text() : text;
  };
  return {
    isListing: context.isListing === true,
    window: windowAt(context, depth),
    asset(written, kind) {
      const reference = readReference(written, baseUrl);
      if (reference === "local" || reference === "data") return written.trim();
      if (reference === "none") return null;
      const address = context.address(reference.url, kind);
      return address === null ? null : address + reference.fragment;
    },
    link(written) {
      const text = written.trim();
      if (text.startsWith("#")) return text;
      const url = URL.parse(text, baseUrl);
      return url !== null && /^(?:https?|mailto|tel):$/.test(url.protocol) ? url.href : null;
    },
    css: (text) => rewriteCss(text, context),
    dataSheet(written) {
      const text = dataText(written, "text/css");
      // nothing in it may end the `style` element that will hold it
      return text === null
        ? null
        : rewriteCss(text, { ...context, baseUrl: dataBase }).replaceAll(/<\/(?=style)/gi, "<\\/");
    },
    frame(written) {
      const reference = readReference(written, baseUrl);
      const text = reference === "data" ? dataText(written, "text/html") : null;
      if (text !== null) return framed(text, dataBase);
      if (typeof reference === "string" || depth >= nestedDepthMax) return null;
      const found = context.document(reference.url);
      if (found === null) return null;
      return "markup" in found
        ? () => found.markup
        : framed(found.html, found.baseUrl, styles === null ? undefined : []);
    },
    inlineFrame: (html, isOfAddress) => (isOfAddress ? framed : nested)(html, baseUrl),
    sprite(written) {
      const reference = readReference(written, baseUrl);
      if (reference === "local") return written.trim();
      if (typeof reference === "string" || reference.fragment === "") return null;
      const known = sprites.get(reference.url);
      const svg = known?.svg ?? context.sprite(reference.url);
      if (svg === null) return null;
      const prefix = known?.prefix ?? `sprite-${depth}-${sprites.size}-`;
      sprites.set(reference.url, { prefix, svg });
      return `#${prefix}${reference.fragment.slice(1)}`;
    },
  };
}

/** Returns the window of a document at some depth; the size of a frame is unknown here. */
function windowAt({ window, isListing }: ReplayContext, depth: number): ShownWindow | null {
  if (window === undefined || isListing === true) return null;
  return depth === 0 ? window : { ...window, width: null, height: null };
}

function cssAddress(
  written: string,
  kind: "stylesheet" | "image" | "font",
  { baseUrl, address }: Pick<ReplayContext, "baseUrl" | "address">,
): string | null {
  const reference = readReference(written, baseUrl);
  if (reference === "local" || (reference === "data" && kind !== "stylesheet")) return null;
  if (typeof reference === "string") return missingInCss;
  const found = address(reference.url, kind);
  return found === null ? missingInCss : found + reference.fragment;
}

function baseOf(html: string, baseUrl: string): string {
  if (!/<base[\s/]/i.test(html)) return baseUrl;
  const { baseHref } = scanLinks(html);
  const base = baseHref === null ? null : URL.parse(baseHref, baseUrl);
  return base !== null && /^https?:$/.test(base.protocol) ? base.href : baseUrl;
}

function endTagName(name: string, namespace: string): string {
  if (name === "frameset") return "div";
  if (name === "script" && namespace !== "html") return "metadata";
  return name;
}
