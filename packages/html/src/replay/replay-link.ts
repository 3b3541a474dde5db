import type { EditableTag } from "../tokenizer/editable-tag.js";
import type { ReplayPage } from "./replay-context.js";

/** Words of `rel` for a picture that stands for the page. */
const icons = new Set(["icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "fluid-icon"]);

/**
 * Applies the rules of `link`: stylesheets and icons get their stored copies; whatever else a browser would fetch,
 * preload, connect to or take a hint from loses its address. Stylesheets that a handler would switch on are switched on.
 */
export function editLink(tag: EditableTag, page: ReplayPage): void {
  const words = (tag.get("rel") ?? "").toLowerCase().split(/[\t\n\f\r ]+/);
  const onload = tag.get("onload") ?? "";
  const isHint = words.includes("preload") && tag.get("as")?.toLowerCase() === "style";
  const becomesSheet = (isHint && /stylesheet/.test(onload)) || /\brel\s*=\s*["']stylesheet/.test(onload);
  const written = tag.get("href");
  tag.remove("imagesrcset", "imagesizes");
  if (written === undefined) return;
  if (words.includes("stylesheet") || becomesSheet) {
    if (becomesSheet) tag.set("rel", "stylesheet");
    if (/media/.test(onload) && isOff(tag.get("media"))) tag.set("media", "all");
    const css = words.includes("alternate") && !becomesSheet ? null : page.dataSheet(written);
    return css === null ? replace(tag, page.asset(written, "stylesheet", tag.get("integrity"))) : becomeStyle(tag, css);
  }
  if (words.some((word) => icons.has(word))) return replace(tag, page.asset(written, "icon"));
  // a preloaded file is used somewhere; its copy is kept, the hint is not
  if (words.includes("preload")) keepPreloaded(tag.get("as")?.toLowerCase(), written, page);
  tag.remove("href");
}

/** Whether a condition holds on no screen, as one that is only there so that nothing waits for the style sheet. */
const isOff = (media = "") => /^(?:print|none|only x)$/i.test(media.trim());

/**
 * Turns a link with its own data into a `style`: the content policy allows stylesheets from our address only, but also
 * styles inside the page.
 */
function becomeStyle(tag: EditableTag, css: string): void {
  tag.remove("href", "rel", "type", "as");
  tag.becomeStyle(css);
}

function replace(tag: EditableTag, address: string | null): void {
  if (address === null || /^data:/i.test(address)) tag.remove("href");
  else tag.set("href", address);
}

function keepPreloaded(as: string | undefined, written: string, page: ReplayPage): void {
  if (as === "style") page.asset(written, "stylesheet", "");
  else if (as === "image" || as === "font") page.asset(written, as);
}
