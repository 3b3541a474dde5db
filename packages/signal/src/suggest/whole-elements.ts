import type { Element } from "domhandler";
import type { Range } from "../mask/page.js";
import type { SpotReader } from "./describe-spot.js";
import { selectorOf } from "./selector-of.js";
import type { Spot } from "./spots.js";

const elementsMax = 3;

/** Elements that a change consists of. */
export interface WholeElements {
  readonly selector: string;
  /** One of them stands there in both versions; otherwise they come and go. */
  readonly isAlways: boolean;
}

/**
 * The elements that a change consists of: those that stand in place of others, or that are not always there.
 * @param readers of the older and the newer version
 * @returns null where the change is more than elements, or of elements that only their place tells from others
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
  // of an element that is not always there, the other version knows no name; and where it stands, another one does then
  const named = ([reader, elements]: readonly [SpotReader, readonly Element[]]) =>
    elements.map((element) => (isAlways ? reader.selectorOf(element) : selectorOf(element, () => true)));
  const all = [...new Set([[older, a] as const, [newer, b] as const].flatMap(named))];
  if (all.length === 0 || all.length > elementsMax || (!isAlways && all.some((each) => each.includes(":nth"))))
    return null;
  return { selector: all.join(", "), isAlways };
}

/** Of the elements of one side; empty where there is nothing, null where there is something else. */
function elementsIn(reader: SpotReader, parts: readonly Range[]): Element[] | null {
  const from = Math.min(...parts.map(([start]) => start));
  const to = Math.max(...parts.map(([, end]) => end));
  const range = wholeTags(reader.newer, [from, to]);
  if (reader.newer.slice(...range).trim() === "") return [];
  return reader.elementsOf(range);
}

/** A part from the beginning of the tag in which it begins to the end of the one in which it ends; of `em>…</em><` that of the element. */
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
