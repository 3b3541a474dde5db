/** Elements by which `noscript` shows what scripts show later: pictures, style sheets, frames, videos. */
const stands =
  /<(?:img|picture|source|video|audio|iframe|frame|object|embed|svg|canvas|link|style|input)[\s/>]|\sstyle\s*=/i;
/** The longest notice: a longer text is content for readers without scripts. */
const charsMax = 2_000;

/**
 * Tells which `noscript` elements of a page are notices to readers without scripts, such as a request to switch scripts
 * on. Nobody sees them in a browser. Time is linear in the page.
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
