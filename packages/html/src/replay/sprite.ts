import { editElement } from "./replay-elements.js";
import type { ReplayPage } from "./replay-context.js";
import { editTags } from "../tokenizer/tag-editor.js";

/**
 * Returns an SVG file as invisible markup for the end of a page. A sandboxed page has an opaque origin, so browsers let no
 * `use` in it refer to another file. Ids get a prefix, so that they do not collide with those of the page.
 */
export function spriteMarkup(svg: string, prefix: string, page: ReplayPage): string {
  const start = svg.search(/<svg[\s/>]/i);
  if (start === -1) return "";
  const local = (text: string) => text.replaceAll(/url\(\s*(["']?)#/gi, `url($1#${prefix}`);
  const body = editTags(svg.slice(start), {
    startTag(tag) {
      editElement(tag, page);
      const id = tag.get("id");
      if (id !== undefined) tag.set("id", prefix + id);
      for (const [name, value] of tag.attributes) {
        if ((name === "href" || name === "xlink:href") && value.startsWith("#"))
          tag.set(name, `#${prefix}${value.slice(1)}`);
        else if (value.includes("url(")) tag.set(name, local(value));
      }
    },
    rawText: (name) => (name === "script" ? "" : undefined),
    endTag: (name) => (name === "script" ? "metadata" : name),
  });
  return `<div aria-hidden="true" style="position:absolute;width:0;height:0;overflow:hidden">${body}</div>`;
}
