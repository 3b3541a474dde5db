import { Page } from "../mask/page.js";
import { readSelector } from "../mask/find-elements.js";
import { NotApplied } from "../mask/not-applied.js";

/** The share of common kinds of elements from which pages are taken to have the same template. */
const alike = 0.7;
const kindsMax = 2_000;
const all = readSelector("*");

/** Returns the kinds of elements of a page: names with their first class. */
export function kindsOf(html: string): Set<string> {
  try {
    const kinds = new Set<string>();
    for (const { name, attribs } of new Page(html).elements(all)) {
      kinds.add(`${name}.${(attribs["class"] ?? "").split(/\s+/, 1)[0] ?? ""}`);
      if (kinds.size >= kindsMax) break;
    }
    return kinds;
  } catch (error) {
    if (!(error instanceof NotApplied)) throw error;
    return new Set();
  }
}

/** Groups pages by template. @returns positions in `pages`, the largest group first */
export function groupByTemplate(pages: readonly ReadonlySet<string>[]): number[][] {
  const groups: number[][] = [];
  pages.forEach((kinds, index) => {
    const group = groups.find(([first = 0]) => likeness(pages[first] ?? new Set(), kinds) >= alike);
    if (group === undefined) groups.push([index]);
    else group.push(index);
  });
  return groups.toSorted((one, other) => other.length - one.length);
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const kind of one) if (other.has(kind)) shared += 1;
  const united = one.size + other.size - shared;
  return united === 0 ? 1 : shared / united;
}
