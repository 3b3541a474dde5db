import type { EditableTag } from "../tokenizer/editable-tag.js";

/**
 * Attributes in which lazy-loading scripts keep an address, by the attribute that it is meant for; the first one present counts.
 */
const lateSources = {
  src: ["data-src", "data-lazy-src", "data-original", "data-lazy", "data-actualsrc", "data-hi-res-src", "data-echo"],
  srcset: ["data-srcset", "data-lazy-srcset", "data-original-set"],
  poster: ["data-poster"],
} as const;

const lateBackgrounds = ["data-bg", "data-background", "data-background-image", "data-bg-src"];

/**
 * Does what a page's lazy-loading script would do once its pictures are scrolled into view: moves `data-src` and the like
 * to `src` where that is missing or a placeholder, and removes `loading=lazy`.
 * @returns whether it moved an address
 */
export function loadNow(tag: EditableTag): boolean {
  let hasMoved = false;
  if (tag.get("loading")?.toLowerCase() === "lazy") tag.remove("loading");
  for (const [name, candidates] of Object.entries(lateSources)) {
    const late = firstOf(tag, candidates);
    const present = tag.get(name);
    if (late === undefined || !(present === undefined || isPlaceholder(present) || saysLazy(tag))) continue;
    tag.set(name, late);
    hasMoved = true;
  }
  const names = tag.get("class");
  if (names !== undefined && /(?:^|\s)lazyload(?:ing)?(?=\s|$)/.test(names))
    tag.set("class", names.replaceAll(/(^|\s)lazyload(?:ing)?(?=\s|$)/g, "$1lazyloaded"));
  return hasMoved;
}

/** Returns the address of a background that a script would set; undefined where there is none. */
export function lateBackground(tag: EditableTag): string | undefined {
  const late = firstOf(tag, lateBackgrounds);
  return late !== undefined && looksLikeAddress(late) ? late : undefined;
}

function firstOf(tag: EditableTag, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = tag.get(name)?.trim();
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

function isPlaceholder(src: string): boolean {
  return (
    src.trim() === "" ||
    /^\s*(?:data:|about:)/i.test(src) ||
    /(?:blank|pixel|placeholder|spacer|transparent|loading)\b[^/]*$/i.test(src)
  );
}

function saysLazy(tag: EditableTag): boolean {
  return /(?:^|[\s_-])lazy/i.test(tag.get("class") ?? "");
}

/** Whether a text is an address, not a colour or a word. */
function looksLikeAddress(text: string): boolean {
  return /^(?:https?:)?\/\//i.test(text) || /\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]|$)/i.test(text);
}
