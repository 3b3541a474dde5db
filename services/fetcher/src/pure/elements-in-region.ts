import type { PictureRegion } from "@web-tester/contracts/entities/compare";
import type { DrawnElement } from "@web-tester/contracts/entities/rule";

/** A drawn document as Chromium describes it (`DOMSnapshot.captureSnapshot`): texts are indices into `strings`. */
export interface DrawnDocument {
  readonly strings: readonly string[];
  readonly parents: readonly number[];
  readonly types: readonly number[];
  readonly names: readonly number[];
  readonly attributes: readonly (readonly number[])[];
  /** The drawn boxes: the node that each belongs to, and its rectangle. */
  readonly boxes: readonly { readonly node: number; readonly bounds: readonly number[] }[];
}

const elementsMax = 12;
/**
 * How far a box may lie outside of a region: regions are a little larger than what differs, and boxes have fractions of pixels.
 */
const slackPx = 6;
const elementType = 1;
/** Elements that surround the whole of every page. */
const around = new Set(["html", "body", "head"]);

/**
 * Returns the elements that lie in a region and in no other element that does; where there are none, the smallest one that
 * contains the middle of the region.
 */
export function elementsInRegion(drawn: DrawnDocument, region: PictureRegion): DrawnElement[] {
  const inside = new Set<number>();
  let [smallest, area] = [-1, Number.POSITIVE_INFINITY];
  const [middleX, middleY] = [region.x + region.width / 2, region.y + region.height / 2];
  for (const { node, bounds } of drawn.boxes) {
    const [x = 0, y = 0, width = 0, height = 0] = bounds;
    const element = elementOf(drawn, node);
    if (element === -1 || width <= 0 || height <= 0) continue;
    const isInside =
      drawn.types[node] === elementType &&
      x >= region.x - slackPx &&
      y >= region.y - slackPx &&
      x + width <= region.x + region.width + slackPx &&
      y + height <= region.y + region.height + slackPx;
    if (isInside) inside.add(element);
    const hasMiddle = x <= middleX && middleX <= x + width && y <= middleY && middleY <= y + height;
    if (hasMiddle && width * height <= area) [smallest, area] = [element, width * height];
  }
  const outer = [...inside].filter((node) => !hasAncestorIn(drawn, node, inside));
  const found = outer.length > 0 ? outer : smallest === -1 ? [] : [smallest];
  return found.slice(0, elementsMax).map((node) => describe(drawn, node));
}

/** The element that a box belongs to: its own node, or the element around a text; -1 where that is only the page itself. */
function elementOf(drawn: DrawnDocument, node: number): number {
  const at = drawn.types[node] === elementType ? node : (drawn.parents[node] ?? -1);
  return at === -1 || around.has(nameOf(drawn, at)) || drawn.types[at] !== elementType ? -1 : at;
}

function hasAncestorIn({ parents }: DrawnDocument, node: number, nodes: ReadonlySet<number>): boolean {
  for (let at = parents[node] ?? -1; at !== -1; at = parents[at] ?? -1) if (nodes.has(at)) return true;
  return false;
}

const nameOf = ({ strings, names }: DrawnDocument, node: number): string =>
  (strings[names[node] ?? -1] ?? "").toLowerCase();

function describe(drawn: DrawnDocument, node: number): DrawnElement {
  const tag = nameOf(drawn, node);
  let [nth, of] = [0, 0];
  for (const [other, type] of drawn.types.entries()) {
    if (type !== elementType || nameOf(drawn, other) !== tag) continue;
    if (other < node) nth += 1;
    of += 1;
  }
  return { tag, nth, of, id: attribute(drawn, node, "id"), src: attribute(drawn, node, "src") };
}

function attribute({ strings, attributes }: DrawnDocument, node: number, name: string): string | null {
  const pairs = attributes[node] ?? [];
  for (let index = 0; index + 1 < pairs.length; index += 2)
    if (strings[pairs[index] ?? -1] === name) return strings[pairs[index + 1] ?? -1] ?? null;
  return null;
}
