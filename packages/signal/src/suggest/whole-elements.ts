import type { Element } from "domhandler";
import type { Range } from "../mask/page.js";
import type { SpotReader } from "./describe-spot.js";
import { selectorOf } from "./selector-of.js";
import type { Spot } from "./spots.js";

const elementsMax = 3;

/** Elements that a change consists of. */
export interface WholeElements {
  readonly selector: string;
  /** Whether one of them is there in both versions; otherwise they come and go. */
  readonly isAlways: boolean;
}

/**
 * Returns the elements that a change consists of: they replace one another, or are not always there.
 * @param readers those of the older and the newer version
 * @returns null where the change is more than elements, or its elements are only identified by their position
 */
export function wholeElements(
  [older, newer]: readonly [SpotReader, SpotReader],
  spots: readonly Spot[],
): WholeElements | null {
  const sides = [
    elementsIn(
      older,
      spots.map(({ a }) => a),
    ),
    elementsIn(
      newer,
      spots.map(({ b }) => b),
    ),
  ];
  const [a, b] = sides;
  if (a === null || a === undefined || b === null || b === undefined) return null;
  const isAlways = a.length > 0 && b.length > 0;
  // the other version lacks the names of an element that comes and goes, and has another element at its position
  const named = ([reader, elements]: readonly [SpotReader, readonly Element[]]) =>
    elements.map((element) => (isAlways ? reader.selectorOf(element) : selectorOf(element, () => true)));
  const all = [...new Set([[older, a] as const, [newer, b] as const].flatMap(named))];
  if (all.length === 0 || all.length > elementsMax || (!isAlways && all.some((each) => each.includes(":nth"))))
    return null;
  return { selector: all.join(", "), isAlways };
}

/** Returns the changed elements of one side; empty where there are none, null where there is something else. */
function elementsIn(reader: SpotReader, parts: readonly Range[]): Element[] | null {
  const from = Math.min(...parts.map(([start]) => start));
  const to = Math.max(...parts.map(([, end]) => end));
  const range = wholeTags(reader.newer, [from, to]);
  if (reader.newer.slice(...range).trim() === "") return [];
  return reader.elementsOf(range);
}

/** Extends a part to whole tags at both ends; `em>…</em><` becomes that element. */
function wholeTags(html: string, [from, to]: Range): Range {
  let [start, end] = [from, to];
  if (from < to && html[from - 1] === "<" && html[to - 1] === "<") return [from - 1, to - 1];
  const open = html.lastIndexOf("<", start - 1);
  if (open > html.lastIndexOf(">", start - 1)) start = open;
  const last = Math.max(start, end - 1);
  if (end > start && html.lastIndexOf("<", last) > html.lastIndexOf(">", last))
    end = html.indexOf(">", last) + 1 || end;
  return [start, end];
}
