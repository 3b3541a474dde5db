/**
 * Returns whether places in a page are outside of tags, scripts and styles. Asked for places in their order, all of them together take time
 * linear in the page, even if a rule hides something in each of its lines.
 */
export function shownPlaces(html: string): (at: number) => boolean {
  const last = (text: string) => lastBefore(html, text);
  const [opens, closes] = [last("<"), last(">")];
  const raw = ["script", "style"].map((name) => ({ begins: last(`<${name}`), ends: last(`</${name}`) }));
  return (at) => {
    const isInTag = opens(at) > closes(at - 1) && html[at] !== "<";
    return !isInTag && raw.every(({ begins, ends }) => begins(at) <= ends(at));
  };
}

/** Returns what `html.lastIndexOf(text, at)` does, which goes on where it was for a place behind the one before. */
function lastBefore(html: string, text: string): (at: number) => number {
  let [asked, found, next] = [-1, -1, html.indexOf(text)];
  return (at) => {
    if (at < asked) [found, next] = [-1, html.indexOf(text)];
    asked = at;
    for (; next !== -1 && next <= at; next = html.indexOf(text, next + 1)) found = next;
    return found;
  };
}
