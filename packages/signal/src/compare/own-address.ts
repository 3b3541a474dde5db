/** What stands in for a page's own address. */
const own = "\u0002";
const special = /[.*+?^${}()|[\]\\/-]/g;

/** The last page's path and the expression for it: all changes of a page ask in a row. */
let last: { path: string; expression: RegExp } = { path: "", expression: /(?!)/ };

/**
 * Replaces a page's own path in addresses, also in one that is part of a query. Not where it only begins another page's path, as that of
 * a section begins those of its pages: such a link is the same on all pages. A last word, such as feed or edit, belongs to the page itself.
 * @param path path and query
 */
export function withoutOwn(text: string, path: string): string {
  if (path.length < 2) return text;
  if (last.path !== path) last = { path, expression: expressionFor(path) };
  return text.replaceAll(last.expression, own);
}

function expressionFor(path: string): RegExp {
  const plain = path.replaceAll(special, String.raw`\$&`).replaceAll("&", "&(?:amp;)?");
  const encoded = encodeURIComponent(path.toWellFormed()).replaceAll(special, String.raw`\$&`);
  const end = String.raw`(?:$|["'?#&\s()<>\\])`;
  // a tag that ends is no address
  return new RegExp(String.raw`(?<!<)(?:${plain}|${encoded})(?=${end}|\/?[a-z]{1,12}\/?${end})`, "g");
}
