/** Elements by which a page without scripts shows what scripts show later: pictures, style sheets, frames, films. */
const stands =
  /<(?:img|picture|source|video|audio|iframe|frame|object|embed|svg|canvas|link|style|input)[\s/>]|\sstyle\s*=/i;
/** What is longer is a page of its own for those without scripts. */
const charsMax = 2_000;

/**
 * Tells the notices of a page: what it says in a `noscript` to those who have no scripts, such as that these should be switched on. Nobody sees them in
 * a browser. Time is linear in the page.
 * @returns whether the `noscript` whose start tag ends at `from` is one
 */
export function scriptNotices(html: string): (from: number) => boolean {
  const close = /<\/noscript/gi;
  let end = -1;
  return (from) => {
    if (end < from) {
      close.lastIndex = from;
      end = close.exec(html)?.index ?? Infinity;
    }
    return end - from <= charsMax && !stands.test(html.slice(from, end));
  };
}
