import type { AttributeReader } from "../tokenizer/attribute-reader.js";
import type { FormLines } from "./form-lines.js";
import { readShown } from "../text/read-shown.js";

/**
 * What a reader gets from a page, one line per block: text, with `#` for each level of a heading, `-` before items of a
 * list, addresses of links and alternative texts of pictures. Left out is what `visibleText` leaves out. Never fails; time and memory
 * are linear in the page.
 */
export function textForm(html: string): string {
  return textLines(html).text;
}

/** As `textForm`, with the place in the page that each line begins at. */
export function textLines(html: string): FormLines {
  const lines: string[] = [];
  const starts: number[] = [];
  let lineStart = 0;
  let line = "";
  let prefix = "";
  /** Address of the link that is open; null where there is none. */
  let link: string | null = null;
  const endLine = (): void => {
    const text = tidy(line);
    if (text !== "") {
      lines.push(prefix + text);
      starts.push(lineStart);
      prefix = "";
    }
    line = "";
  };
  const endLink = (): void => {
    if (link !== null && link !== "") line += ` (${link})`;
    link = null;
  };
  readShown(html, {
    text(text, at) {
      if (line.trim() === "") lineStart = at;
      line += text;
      return true;
    },
    tag({ name, isEnd, isBlock, attributes }) {
      if (isBlock) {
        endLine();
        prefix = isEnd ? "" : (prefixes.get(name) ?? prefix);
      }
      if (name === "a") {
        endLink();
        if (!isEnd) link = attributeOf(attributes, "href") ?? null;
      } else if (name === "img" && !isEnd) {
        const alternative = tidy(attributeOf(attributes, "alt") ?? "");
        if (alternative !== "") line += ` [${alternative}] `;
      }
    },
  });
  endLink();
  endLine();
  return { text: lines.length === 0 ? "" : `${lines.join("\n")}\n`, starts };
}

function tidy(text: string): string {
  return text
    .replaceAll(/[\0\u00AD\u200B\uFEFF]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function attributeOf(attributes: AttributeReader, name: string): string | undefined {
  return attributes.collect([name]).get(name);
}

const prefixes = new Map([
  ["li", "- "],
  ...[1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, `${"#".repeat(level)} `] as const),
]);
