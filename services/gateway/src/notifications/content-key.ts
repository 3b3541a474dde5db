import { createHash } from "node:crypto";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { ContentKey } from "@web-tester/records/lifecycle/like-pages";
import { LeftPage } from "@web-tester/signal/compare/left-page";
import { pathOf, RuleSet } from "@web-tester/signal/rules/rule-set";

/** The most milliseconds for all contents of one run together, as the message waits for them; contents not read by then have no key. */
const togetherMs = 5_000;
/** Larger pages are not read. */
const maxChars = 2_000_000;

/** Creates the function that reads contents of pages for one run, as `ContentKey` says. */
export function createContentKey(store: ObjectStore): ContentKey {
  let endsAt: number | null = null;
  let set: RuleSet | null = null;
  return async ({ url, hash, charset }, rules) => {
    endsAt ??= performance.now() + togetherMs;
    if (performance.now() > endsAt) return null;
    const bytes = await store.read(Buffer.from(hash, "hex")).catch(() => null);
    const html = bytes === null ? "" : decodeAs(bytes, charset);
    if (html === "" || html.length > maxChars) return null;
    set ??= new RuleSet(rules);
    return keyOf(new LeftPage(html, set.of(pathOf(url))), url);
  };
}

function keyOf({ lines }: Pick<LeftPage, "lines">, url: string): string {
  return createHash("sha256").update(withoutAddress(lines.text, url)).digest("hex");
}

/** Removes a page's own address from its text: whole or from the root of its site on, each plain, escaped for HTML, and decoded. */
export function withoutAddress(text: string, url: string): string {
  const { origin, pathname, search } = new URL(url);
  const path = pathname + search;
  const written = [origin + path, ...(path === "/" ? [] : [path])].flatMap((address) => [
    address,
    address.replaceAll("&", "&amp;"),
    decoded(address),
  ]);
  // longer ones first; an address counts only where no further letter of an address follows
  const all = [...new Set(written)].toSorted((a, b) => b.length - a.length).map((address) => literal(address));
  return text.replaceAll(new RegExp(`(?:${all.join("|")})(?![\\w/%.~-])`, "gu"), "");
}

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}
