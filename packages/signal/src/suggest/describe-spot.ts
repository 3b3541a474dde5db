import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import type { Element } from "domhandler";
import { NotApplied } from "../mask/not-applied.js";
import { readSelector } from "../mask/find-elements.js";
import { Page, type Range } from "../mask/page.js";
import { timeAround } from "../values/time-around.js";
import { selectorOf } from "./selector-of.js";
import type { Spot } from "./spots.js";

export const noFields: Omit<RuleSpec, "kind"> = {
  ...{ selector: null, name: null, parameter: null, pattern: null, syntax: "literal", before: null, after: null },
};

const valueMaxChars = 200;
const contextChars = 200;

/** Describes where a spot is, in terms that fit other pages too, and its value in both versions. */
export interface DescribedSpot {
  readonly spot: Spot;
  /** The element that contains it, or whose start tag does; null where there is none. */
  readonly element: Element | null;
  readonly selector: string;
  /** The attribute that contains it; null in text. */
  readonly attribute: string | null;
  /** The query parameter of that attribute whose value it is; else null. */
  readonly parameter: string | null;
  /** Whether the attribute contains more than this value. */
  readonly isPart: boolean;
  /** The whole value in the older and the newer version; `before` and `after` are the texts around it in the newer one. */
  readonly values: readonly [string, string];
  readonly before: string;
  readonly after: string;
}

/** Describes places of one page. */
export class SpotReader {
  readonly #page: Page;
  readonly #elements: Element[];
  readonly #stays = new Map<string, boolean>();

  constructor(
    readonly older: string,
    readonly newer: string,
  ) {
    this.#page = new Page(newer);
    this.#elements = elementsIn(this.#page, "*").toSorted(
      (one, other) => (one.startIndex ?? 0) - (other.startIndex ?? 0),
    );
  }

  describe(spot: Spot): DescribedSpot {
    const tagged = this.elementWithTagAt(spot.b);
    const element = tagged ?? this.smallestAround(spot.b);
    const selector = element === null ? "" : this.selectorOf(element);
    const attribute = tagged === null ? null : this.#attributeAt(tagged, spot.b);
    const place = tagged === null || attribute === null ? null : this.#page.attribute(tagged, attribute);
    const [from, to] = wordAround(this.newer, spot.b);
    const [fromA, toA] = wordAround(this.older, spot.a);
    const values = [this.older.slice(fromA, toA), this.newer.slice(from, to)] as const;
    return {
      ...{ spot, element, selector, attribute },
      parameter: place === null ? null : parameterAt(this.newer, place.value, spot.b),
      isPart: place !== null && place.value[1] - place.value[0] > to - from,
      values,
      before: this.newer.slice(Math.max(0, from - contextChars), from),
      after: this.newer.slice(to, to + contextChars),
    };
  }

  /** Returns a selector whose names the other version has too. */
  selectorOf(element: Element): string {
    return selectorOf(element, (token) => {
      let stays = this.#stays.get(token);
      if (stays === undefined) this.#stays.set(token, (stays = this.older.includes(token)));
      return stays;
    });
  }

  /**
   * Returns the texts of the elements that match a selector in this version, with their tags or only their content; none
   * where it cannot be evaluated.
   */
  textsOf(selector: string, what: "whole" | "content"): string[] {
    const range = (element: Element) =>
      what === "whole" ? this.#page.rangeOf(element) : this.#page.contentOf(element);
    return elementsIn(this.#page, selector).map((element) => this.newer.slice(...range(element)));
  }

  /** Returns the elements that a part of the page consists of, white space aside; null where it contains anything else. */
  elementsOf([from, to]: Range): Element[] | null {
    const found: Element[] = [];
    let at = from;
    for (const element of this.#elements) {
      const [start, end] = this.#page.rangeOf(element);
      if (start < at) continue;
      if (start >= to || end > to || this.newer.slice(at, start).trim() !== "") break;
      found.push(element);
      at = end;
    }
    return found.length > 0 && this.newer.slice(at, to).trim() === "" ? found : null;
  }

  /** Returns the element whose start tag contains a place; null where none does. */
  elementWithTagAt([from, to]: Range): Element | null {
    let low = 0;
    let high = this.#elements.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#elements[middle]?.startIndex ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    const element = this.#elements[low - 1];
    return element !== undefined && to <= this.#tagEnd(element) ? element : null;
  }

  smallestAround([from, to]: Range): Element | null {
    let smallest: Element | null = null;
    for (const element of this.#elements) {
      if ((element.startIndex ?? 0) > from) break;
      const [start, end] = this.#page.rangeOf(element);
      if (start <= from && to <= end) smallest = element;
    }
    return smallest;
  }

  /** Returns the index after the last attribute of a start tag. */
  #tagEnd(element: Element): number {
    let end = (element.startIndex ?? 0) + 1 + element.name.length;
    for (const name of Object.keys(element.attribs))
      end = Math.max(end, this.#page.attribute(element, name)?.range[1] ?? 0);
    return end;
  }

  #attributeAt(element: Element, [from, to]: Range): string | null {
    const found = Object.keys(element.attribs).find((name) => {
      const place = this.#page.attribute(element, name);
      return place !== null && place.range[0] <= from && to <= place.range[1];
    });
    return found ?? null;
  }
}

function elementsIn(page: Page, selector: string): Element[] {
  try {
    return page.elements(readSelector(selector));
  } catch (error) {
    if (!(error instanceof NotApplied)) throw error;
    return [];
  }
}

/** Returns the query parameter whose value contains a place in an attribute; null where none does. */
function parameterAt(html: string, [from, to]: Range, [spotFrom, spotTo]: Range): string | null {
  const value = html.slice(from, to);
  if (spotFrom < from || spotTo > to) return null;
  const start = Math.max(value.lastIndexOf("?", spotFrom - from), value.lastIndexOf("&", spotFrom - from));
  if (start === -1) return null;
  const equals = value.indexOf("=", start);
  if (equals === -1 || equals >= spotFrom - from) return null;
  const name = value.slice(start + 1, equals).replace(/^amp;/, "");
  return /[&?#]/.test(value.slice(equals + 1, spotTo - from)) || name === "" ? null : name;
}

/** Returns the range of the value that a place is part of: the text around it without white space, quotes or markup. */
function wordAround(text: string, [from, to]: Range): Range {
  // the whole of a date and time will differ soon
  const time = timeAround(text, from, to);
  if (time !== null) return time;
  let [start, end] = [from, to];
  while (
    start > 0 &&
    from - start < valueMaxChars &&
    /[A-Za-z\p{Nd}\u066B\u066C_+/=.:~-]/u.test(text.charAt(start - 1))
  )
    start -= 1;
  while (end < text.length && end - to < valueMaxChars && /[A-Za-z\p{Nd}\u066B\u066C_+/=~-]/u.test(text.charAt(end)))
    end += 1;
  // "id=a1": the name is no part of the value
  const equals = text.slice(start, from).lastIndexOf("=");
  if (equals !== -1) start += equals + 1;
  // "at":1 and at:1 as in a script, but not 12:01
  const colon = /^(?:.*[A-Za-z_$])?:(?=[^:]*$)/.exec(text.slice(start, from));
  if (colon !== null) start += colon[0].length;
  return [start, end];
}
