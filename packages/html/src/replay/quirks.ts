/** Public identifiers of old, which make a page one of quirks (WHATWG HTML §13.2.6.4.1); those of 4.01 only where no address stands behind them. */
const oldDoctype =
  /^html\s+public\s+["'](?:-\/\/ietf\/\/dtd html|-\/\/w3c\/\/dtd html (?:3|4\.0 (?:transitional|frameset))|-\/\/w3c\/\/dtd html 4\.01 (?:transitional|frameset)\/\/[^"'>]*["']\s*>)/i;

/** Whether browsers show a document by the rules from before there were any: it has no doctype, or one of old. Linear in what stands before it. */
export function isOfQuirks(html: string): boolean {
  let at = 0;
  for (;;) {
    const rest = /[^\s\uFEFF]/g;
    rest.lastIndex = at;
    at = rest.exec(html)?.index ?? html.length;
    const isComment = html.startsWith("<!--", at);
    if (!isComment && !html.startsWith("<?", at)) break;
    const end = html.indexOf(isComment ? "-->" : ">", at + 2);
    if (end === -1) return true;
    at = end + (isComment ? 3 : 1);
  }
  const doctype = /^<!doctype\s*/i.exec(html.slice(at, at + 200))?.[0];
  return doctype === undefined || oldDoctype.test(html.slice(at + doctype.length, at + doctype.length + 200));
}

/**
 * What of these rules a style sheet can say (WHATWG Quirks Mode; §15 of WHATWG HTML), for documents that are shown as the text of a frame, which has none of them.
 * To stand before the document: every rule in it is stronger.
 */
export const quirksStyle =
  "<style>:where(html){height:100%}:where(body){height:-webkit-fill-available;height:stretch}" +
  ":where(table){font-size:medium;font-weight:normal;font-style:normal;font-variant:normal;line-height:normal;white-space:normal;text-align:start}" +
  ":where(form){margin-block-end:1em}:where(input:not([type=image i]),textarea){box-sizing:border-box}" +
  ":where(img[align=left i]:not([hspace])){margin-right:3px}:where(img[align=right i]:not([hspace])){margin-left:3px}</style>";
