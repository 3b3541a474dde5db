import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import { NotApplied } from "../mask/not-applied.js";
import { Page } from "../mask/page.js";
import { compileRule } from "../rules/compile-rule.js";
import { commonBeginning } from "../values/common-text.js";
import { isMoment } from "../values/moments.js";
import { isDuration, relativeTimes } from "../values/relative-time.js";
import { isMadeUp } from "../values/value-class.js";

/** A page of another template that was fetched twice within moments. */
export interface OtherPage {
  readonly path: string;
  readonly older: string;
  readonly newer: string;
}

/** From this many on, unchanging values on other pages are taken for content. */
const staysMin = 3;
/** Matches a token, which may be the same twice on a cached page; not an address. */
const token = /^(?!\.{0,2}\/|[a-z]+:\/\/)[A-Za-z0-9+/=_.~:-]{8,}$/;

/** The pages of other templates, whose unchanging parts a learned rule must not hide. */
export class Elsewhere {
  readonly #pages: readonly { path: string; sides: readonly [Page, Page] }[];

  /** @param own the paths and queries of the pages that rules are learned from */
  constructor(
    pages: readonly OtherPage[],
    readonly own: readonly string[],
  ) {
    this.#pages = pages.map(({ path, older, newer }) => ({ path, sides: [new Page(older), new Page(newer)] }));
  }

  /**
   * Returns the path of the pages that a rule should apply to: prices of recommended products may differ at each fetch,
   * while the same tags in a product list hold prices that somebody set.
   * @returns a path, `*` for all pages; null where no path separates its pages from the others
   */
  pathFor(spec: RuleSpec): string | null {
    let stays = 0;
    for (const { sides } of this.#pages) {
      const [before, after] = sides.map((page) => hiddenOn(page, spec));
      if (before?.join("\n") === after?.join("\n")) stays += after?.filter(isMeant).length ?? 0;
    }
    return stays < staysMin ? "*" : this.#pathOfOwn();
  }

  #pathOfOwn(): string | null {
    // cut at the end of a folder, a word or a parameter: two names with the same first letters have nothing in common
    const folder = /^.*[/_.=&?-]/.exec(commonBeginning(this.own))?.[0] ?? "";
    if (folder.length < 2 || folder.includes("*")) return null;
    return this.#pages.some(({ path }) => path.startsWith(folder)) ? null : `${folder}*`;
  }
}

/** Whether a value is content for people: no token and no time. */
function isMeant(value: string): boolean {
  if (token.test(value) && isMadeUp(value)) return false;
  return value.trim() !== "" && !isMoment(value) && !isDuration(value) && relativeTimes([value]) === null;
}

/** Returns what a rule hides of a page, in page order; nothing where it cannot be evaluated. */
function hiddenOn(page: Page, spec: RuleSpec): string[] {
  try {
    const effect = compileRule({ ...spec, id: "learned", path: "*", note: "" }).evaluate(page);
    if (effect === null) return [];
    const ranges = "values" in effect ? effect.values : "mask" in effect ? effect.mask : [];
    return ranges.map((range) => page.html.slice(...range));
  } catch (error) {
    if (!(error instanceof NotApplied) && !(error instanceof RangeError)) throw error;
    return [];
  }
}
