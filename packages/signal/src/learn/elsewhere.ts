import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import { NotApplied } from "../mask/not-applied.js";
import { Page } from "../mask/page.js";
import { compileRule } from "../rules/compile-rule.js";
import { commonBeginning } from "../values/common-text.js";
import { isMoment } from "../values/moments.js";
import { isDuration, relativeTimes } from "../values/relative-time.js";
import { isMadeUp } from "../values/value-class.js";

/** A page of another template that was fetched twice in a moment. */
export interface OtherPage {
  readonly path: string;
  readonly older: string;
  readonly newer: string;
}

/** So many values that stay on other pages are meant to be there. */
const staysMin = 3;
/** A token, which may well be the same twice on a page that was kept for a while; no address. */
const token = /^(?!\.{0,2}\/|[a-z]+:\/\/)[A-Za-z0-9+/=_.~:-]{8,}$/;

/** The pages of other templates, among which a rule that was learned from some pages must not hide what stays. */
export class Elsewhere {
  readonly #pages: readonly { path: string; sides: readonly [Page, Page] }[];

  /** @param own paths and queries of the pages that rules are learned from */
  constructor(
    pages: readonly OtherPage[],
    readonly own: readonly string[],
  ) {
    this.#pages = pages.map(({ path, older, newer }) => ({ path, sides: [new Page(older), new Page(newer)] }));
  }

  /**
   * Pages for which a rule is meant: prices of what is recommended differ, the same tags in a list of products hold prices that somebody set.
   * @returns a path, `*` for anything; null where none tells its pages from those
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
    // up to where a folder, a word or a parameter ends: that two names begin alike says nothing
    const folder = /^.*[/_.=&?-]/.exec(commonBeginning(this.own))?.[0] ?? "";
    if (folder.length < 2 || folder.includes("*")) return null;
    return this.#pages.some(({ path }) => path.startsWith(folder)) ? null : `${folder}*`;
  }
}

/** Whether a value is one that people look at: no token and no time. */
function isMeant(value: string): boolean {
  if (token.test(value) && isMadeUp(value)) return false;
  return value.trim() !== "" && !isMoment(value) && !isDuration(value) && relativeTimes([value]) === null;
}

/** What a rule hides of a page, in its order; nothing where it cannot be evaluated. */
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
