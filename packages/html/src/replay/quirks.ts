/** Legacy public identifiers that put a page into quirks mode (WHATWG HTML §13.2.6.4.1); those of HTML 4.01 only without a system identifier. */
const oldDoctype =
  /^html\s+public\s+["'](?:-\/\/ietf\/\/dtd html|-\/\/w3c\/\/dtd html (?:3|4\.0 (?:transitional|frameset))|-\/\/w3c\/\/dtd html 4\.01 (?:transitional|frameset)\/\/[^"'>]*["']\s*>)/i;

/** Whether browsers show a document in quirks mode: it has no doctype, or a legacy one. Takes time linear in the text before the doctype. */
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

const withMargins = "blockquote dir dl h1 h2 h3 h4 h5 h6 listing menu ol p plaintext pre ul xmp".split(" ");
/** The attribute of a block that follows text, with which selectors do not count: its margin stays. */
const afterText = "data-after-text";
const blockAfterText = new RegExp(
  `(<(?:body|td|th)(?:\\s[^<>]{0,2000})?>\\s{0,2000}[^\\s<][^<]{0,2000}<(?:${withMargins.join("|")}))(?=[\\s>])`,
  "gi",
);

/** Marks what `quirksStyle` cannot tell by itself. Takes time linear in the document. */
export const markForQuirks = (html: string): string => html.replaceAll(blockAfterText, `$1 ${afterText}`);

/**
 * The rules of quirks mode that a style sheet can express (WHATWG Quirks Mode; §15 of WHATWG HTML), for documents that are shown as `srcdoc`, which is never in
 * quirks mode. It has to precede the document, and each of the document's own rules overrides it.
 */
export const quirksStyle =
  "<style>:where(html){height:100%}:where(body){height:-webkit-fill-available;height:stretch}" +
  ":where(table){font-size:medium;font-weight:normal;font-style:normal;font-variant:normal;line-height:normal;white-space:normal;text-align:start}" +
  ":where(form){margin-block-end:1em}:where(input:not([type=image i]),textarea){box-sizing:border-box}" +
  ":where(img[align=left i]:not([hspace])){margin-right:3px}:where(img[align=right i]:not([hspace])){margin-left:3px}" +
  `:where(body,td,th)>:where(${withMargins.join()}):where(:first-child,:is(script,a[name]:empty):first-child+*):where(:not([${afterText}])){margin-block-start:0}` +
  ":where(td,th)>:where(p:last-child){margin-block-end:0}</style>";
