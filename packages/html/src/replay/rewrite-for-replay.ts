import { type AssetKind, boundedBase, readReference } from "../links/asset-kind.js";
import { mapCssUrls } from "../links/css-urls.js";
import { dataText } from "../links/data-text.js";
import type { EditableTag } from "../tokenizer/editable-tag.js";
import { policiesMax } from "./content-policy.js";
import type { ShownWindow } from "./css-length.js";
import { missingInCss, nestedDepthMax, type ReplayContext, type ReplayPage } from "./replay-context.js";
import { asksForWritten, keepWritten } from "./as-written.js";
import { asksForAttribute } from "./custom-states.js";
import { framesetStyle } from "./frameset.js";
import { inLightScheme } from "./light-scheme.js";
import { answersAsSeen } from "./media-query.js";
import { editElement, namesNoFile } from "./replay-elements.js";
import { isOfQuirks, markForQuirks, quirksStyle } from "./quirks.js";
import { scanLinks } from "../links/scan-links.js";
import { scriptNotices } from "./script-notice.js";
import { spriteMarkup } from "./sprite.js";
import { createFilePolicy, type FilePolicy } from "./file-policy.js";
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
 * stored with, links by what was written, scripts count as running, and light colours as preferred.
 */
export function rewriteCss(css: string, context: Pick<ReplayContext, "baseUrl" | "address">): string {
  const bounded = { ...context, baseUrl: boundedBase(context.baseUrl) };
  const mapped = mapCssUrls(css, (written, kind) => cssAddress(written, kind, bounded));
  return inLightScheme(answersAsSeen(asksForWritten(asksForAttribute(mapped.replaceAll(definedOnly, anyElement)))));
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
  const isStill = outer.isStill === true;
  const hidesNoscript = outer.noscript === "hide" && !isStill;
  const hasSheets = outer.isListing !== true && /<(?:link|style)[\s/>]/i.test(html);
  // an attribute of the element that was opened last
  let nonce: string | undefined;
  const visible: ReplayContext = {
    ...outer,
    address: (url, kind, integrity) => (isHidden ? null : outer.address(url, kind, integrity)),
    document: (url) => (isHidden ? null : outer.document(url)),
    sprite: (url) => (isHidden ? null : outer.sprite(url)),
  };
  const policy = outer.policies === undefined ? null : policyOf(visible, outer.policies);
  const context: ReplayContext = {
    ...(policy === null ? visible : allowedBy(policy, () => nonce)),
    baseUrl: boundedBase(baseOf(html, outer.baseUrl)),
  };
  const sprites = new Map<string, { prefix: string; svg: string }>();
  const page = pageOf(context, depth, sprites, policy);
  const text = editTags(html, {
    ...(context.isListing === true ? { leaves: namesNoFile } : {}),
    startTag: (tag: EditableTag) => {
      if (policy !== null) obeyPolicy(tag, policy);
      nonce = tag.originalName === "style" || tag.originalName === "link" ? tag.get("nonce") : undefined;
      const isForOthers = hidesNoscript || (!isStill && isNotice(tag.end));
      if (tag.originalName === "noscript" && (isForOthers || isShownAlready)) {
        isHidden = true;
        tag.rename("template");
      }
      if (tag.originalName === "video" && !tag.has("controls")) hasBareVideo = context.isListing !== true;
      if (tag.originalName === "frameset") hasFrameset = context.isListing !== true;
      if (hasSheets) keepWritten(tag);
      isShownAlready = editElement(tag, page) && context.isListing !== true;
    },
    rawText: (name, content) => {
      if (name === "script" || name === "iframe") return "";
      if (name === "style") return policy?.styles?.refusesElement(content, nonce) === true ? "" : page.css(content);
      return undefined;
    },
    endTag: (name, namespace) => {
      const isOfHidden = isHidden || hidesNoscript;
      if (name !== "noscript" || !isOfHidden) return endTagName(name, namespace);
      isHidden = false;
      return "template";
    },
  });
  const parts = [...sprites.values()].map(({ prefix, svg }) => spriteMarkup(svg, prefix, page)).join("");
  return text + parts + (hasBareVideo ? withoutControls : "") + (hasFrameset ? framesetStyle : "");
}

/** What the policies of a page refuse. */
interface PagePolicy {
  /** Null where a browser loaded the page: styles that they refused are gone, and others are there that scripts set. */
  styles: StylePolicy | null;
  files: FilePolicy;
  /** All of them, those in the page included. */
  written: string[];
  self: string;
  /** The lookups that no policy of the page is asked about. */
  before: ReplayContext;
}

function policyOf(before: ReplayContext, policies: readonly string[]): PagePolicy {
  const { noscript, baseUrl, self = baseUrl } = before;
  const styles = noscript === "hide" ? null : createStylePolicy(policies);
  return { styles, files: createFilePolicy(policies, self), written: policies.slice(0, policiesMax), self, before };
}

/** The lookups for files that the policies let be loaded. */
function allowedBy({ styles, files, before }: PagePolicy, nonceOf: () => string | undefined): ReplayContext {
  // browsers tell nobody the nonces of a page
  const isAllowed = (url: string, kind: AssetKind) => files.allows(url, kind, styles === null ? null : nonceOf());
  return {
    ...before,
    address: (url, kind, integrity) => (isAllowed(url, kind) ? before.address(url, kind, integrity) : null),
    document: (url) => (isAllowed(url, "document") ? before.document(url) : null),
  };
}

/** Takes out what a policy of the site kept from being seen, and notes the policies that stand in the page. */
function obeyPolicy(tag: EditableTag, { styles, files, written }: PagePolicy): void {
  const css = tag.get("style");
  if (css !== undefined && styles?.refusesAttribute(css) === true) tag.remove("style");
  if (tag.originalName !== "meta" || tag.get("http-equiv")?.trim().toLowerCase() !== "content-security-policy") return;
  for (const policy of (tag.get("content") ?? "").split(",", policiesMax)) {
    if (written.length >= policiesMax) return;
    written.push(policy);
    styles?.add(policy);
    files.add(policy);
  }
}

function pageOf(
  context: ReplayContext,
  depth: number,
  sprites: Map<string, { prefix: string; svg: string }>,
  policy: PagePolicy | null,
): ReplayPage {
  const { baseUrl } = context;
  // a text in the page inherits its policies, a document has its own
  const nested = (html: string, base: string, isStill: boolean, own?: readonly string[]) => {
    const known =
      own === undefined ? { policies: policy?.written, self: policy?.self } : { policies: own, self: undefined };
    const inner = { ...(policy?.before ?? context), ...known, isStill: isStill || context.isStill === true };
    return depth >= nestedDepthMax ? null : () => rewritePage(html, { ...inner, baseUrl: base }, depth + 1);
  };
  const framed = (html: string, base: string, isStill: boolean, own?: readonly string[]) => {
    const isOld = !context.isListing && isOfQuirks(html);
    const text = nested(isOld ? markForQuirks(html) : html, base, isStill, own);
    return text !== null && isOld ? () => quirksStyle + text() : text;
  };
  return {
    isListing: context.isListing === true,
    window: windowAt(context, depth),
    asset(written, kind, integrity) {
      const reference = readReference(written, baseUrl);
      if (reference === "local") return written.trim();
      if (reference === "data") return refusesData(policy, written, kind) ? null : written.trim();
      if (reference === "none") return null;
      const address = context.address(reference.url, kind, integrity);
      return address === null ? null : address + reference.fragment;
    },
    isRefused(written) {
      const reference = readReference(written, baseUrl);
      return typeof reference !== "string" && context.isRefused?.(reference.url) === true;
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
    frame(written, isStill) {
      const reference = readReference(written, baseUrl);
      const text = reference === "data" ? dataText(written, "text/html") : null;
      if (text !== null) return framed(text, dataBase, isStill);
      if (typeof reference === "string" || depth >= nestedDepthMax) return null;
      const found = context.document(reference.url);
      if (found === null) return null;
      return "markup" in found
        ? () => found.markup
        : framed(found.html, found.baseUrl, isStill, policy === null ? undefined : []);
    },
    inlineFrame: (html, isOfAddress, isStill) => {
      // in a page that a browser loaded it is a document with policies of its own
      const own = isOfAddress && policy?.styles === null ? [] : undefined;
      return (isOfAddress ? framed : nested)(html, baseUrl, isStill, own);
    },
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

/** A page that a browser loaded has data in place of what scripts drew, which no policy was asked about. */
function refusesData(policy: PagePolicy | null, written: string, kind: AssetKind): boolean {
  return policy !== null && policy.styles !== null && !policy.files.allows(written.trim(), kind);
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
