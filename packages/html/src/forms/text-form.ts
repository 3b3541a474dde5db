import type { AttributeReader } from "../tokenizer/attribute-reader.js";
import type { FormLines } from "./form-lines.js";
import { LineText } from "../text/line-text.js";
import { readShown } from "../text/read-shown.js";

/**
 * Returns what a reader gets from a page, one line per block: text, with `#` for each level of a heading, `-` before items
 * of a list, addresses of links, alternative texts of pictures and the words on buttons. It omits what `visibleText`
 * omits. Never fails; time and memory are linear in the page.
 */
export function textForm(html: string): string {
  return textLines(html).text;
}

/** Returns the same as `textForm`, with the index in the page at which each line begins. */
export function textLines(html: string): FormLines {
  const lines: string[] = [];
  const starts: number[] = [];
  let lineStart = 0;
  const line = new LineText();
  let prefix = "";
  /** The address of the link that is open; null where there is none. */
  let link: string | null = null;
  const endLine = (): void => {
    const text = line.take();
    if (text === "") return;
    lines.push(prefix + text);
    starts.push(lineStart);
    prefix = "";
  };
  const endLink = (): void => {
    if (link !== null && link !== "") line.add(` (${link})`);
    link = null;
  };
  readShown(html, {
    text(text, at) {
      if (line.isEmpty) lineStart = at;
      line.add(text);
      return true;
    },
    tag({ name, at, isEnd, isBlock, attributes }) {
      if (isBlock) {
        endLine();
        prefix = isEnd ? "" : (prefixes.get(name) ?? prefix);
      }
      if (name === "a") {
        endLink();
        if (!isEnd) link = attributeOf(attributes, "href") ?? null;
      } else if (!isEnd && (name === "img" || name === "input")) {
        const words = tidy(name === "img" ? (attributeOf(attributes, "alt") ?? "") : wordsOnButton(attributes));
        if (words === "") return;
        if (line.isEmpty) lineStart = at;
        line.add(` [${words}] `);
      }
    },
  });
  endLink();
  endLine();
  return { text: lines.length === 0 ? "" : `${lines.join("\n")}\n`, starts };
}

function tidy(text: string): string {
  const line = new LineText();
  line.add(text);
  return line.take();
}

function attributeOf(attributes: AttributeReader, name: string): string | undefined {
  return attributes.collect([name]).get(name);
}

/** Returns the words on an `input` that is a button; nothing for others, whose values nobody reads as words of the page. */
function wordsOnButton(attributes: AttributeReader): string {
  const values = attributes.collect(["type", "value", "alt"]);
  const type = values.get("type")?.toLowerCase() ?? "";
  if (type === "image") return values.get("alt") ?? "";
  return buttons.has(type) ? (values.get("value") ?? "") : "";
}

const buttons = new Set(["submit", "button", "reset"]);
const prefixes = new Map([
  ["li", "- "],
  ...[1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, `${"#".repeat(level)} `] as const),
]);
