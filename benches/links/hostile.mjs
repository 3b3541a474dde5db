// @ts-check

/**
 * Pages that are designed to cost more than their length suggests, each in any size.
 * @type {readonly { name: string, make: (bytes: number) => string }[]}
 */
export const hostilePages = [
  { name: "nested elements", make: (bytes) => `${repeat("<div>", bytes)}<a href=x>` },
  { name: "nested and closed elements", make: (bytes) => repeat("<b>", bytes / 2) + repeat("</b>", bytes / 2) },
  { name: "nested inline links", make: (bytes) => repeat("<a href=x>", bytes) },
  { name: "nested tables", make: (bytes) => repeat("<table><tr><td>", bytes) },
  { name: "nested templates", make: (bytes) => repeat("<template>", bytes) },
  { name: "nested drawings", make: (bytes) => repeat("<svg><foreignObject>", bytes) },
  {
    name: "end tags in deep drawings",
    make: (bytes) => `${repeat("<svg><g>", bytes / 2)}${repeat("</p></x>", bytes / 2)}`,
  },
  { name: "one attribute value", make: (bytes) => `<a href="${repeat("x&amp;", bytes)}">` },
  { name: "one attribute that never ends", make: (bytes) => `<a href=x><a title="${repeat("x<a href=y>", bytes)}` },
  { name: "many attributes", make: (bytes) => `<a ${repeat("href=x ", bytes)}>` },
  { name: "comments that never end", make: (bytes) => repeat("<!--<!- -", bytes) },
  { name: "declarations that never end", make: (bytes) => repeat("<![CDATA[<!x<?", bytes) },
  { name: "scripts that never end", make: (bytes) => `<script>${repeat("<!--<script>", bytes)}` },
  { name: "text elements that never end", make: (bytes) => repeat("<textarea></textare><title></titl>", bytes) },
  { name: "tags that never end", make: (bytes) => repeat("<a href=x", bytes) },
  { name: "tag openers", make: (bytes) => repeat("<", bytes) },
  { name: "end tag openers", make: (bytes) => repeat("</", bytes) },
  { name: "NULs", make: (bytes) => `<a href="${repeat("\0", bytes / 2)}">${repeat("\0", bytes / 2)}` },
  { name: "different element names", make: (bytes) => names(bytes) },
];

/** @param {string} text @param {number} bytes */
function repeat(text, bytes) {
  return text.repeat(Math.ceil(bytes / text.length));
}

/** @param {number} bytes */
function names(bytes) {
  let text = "";
  for (let number = 0; text.length < bytes; number += 1) text += `<x${number.toString(36)}>`;
  return text;
}
