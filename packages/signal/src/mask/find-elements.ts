import { AppError } from "@web-tester/contracts/errors";
import { compile, type Options } from "css-select";
import { type AnyNode, type Document, type Element, hasChildren, isTag } from "domhandler";
import * as nodes from "domutils";
import { NotApplied } from "./not-applied.js";

export type { Document };

/** A parsed selector; it may be used for many pages. */
export interface Selector {
  readonly text: string;
  readonly query: ReturnType<typeof compile<AnyNode, Element>>;
}

/** The most steps that one selector may take on one page: about 0.3 s. */
const stepsMax = 5_000_000;

/** The steps left for the current page; shared, as a thread processes its pages one after the other. */
let stepsLeft = 0;

function step(cost = 1): void {
  stepsLeft -= cost;
  if (stepsLeft < 0) throw new NotApplied("the selector takes too long on this page");
}

const counting: NonNullable<Options<AnyNode, Element>["adapter"]> = {
  isTag(node): node is Element {
    step();
    return isTag(node);
  },
  getAttributeValue(element, name) {
    const value = nodes.getAttributeValue(element, name);
    step(1 + (value?.length ?? 0) / 16);
    return value;
  },
  getChildren(node) {
    const children = nodes.getChildren(node);
    step(1 + children.length / 16);
    return children;
  },
  // selectors are parsed in lower case, while SVG elements keep their capitals
  getName: (element) => nodes.getName(element).toLowerCase(),
  getParent(node) {
    step();
    return nodes.getParent(node);
  },
  getSiblings(node) {
    const siblings = nodes.getSiblings(node);
    step(1 + siblings.length / 4);
    return siblings;
  },
  prevElementSibling(node) {
    step();
    return nodes.prevElementSibling(node);
  },
  getText(node) {
    const text = nodes.textContent(node);
    step(1 + text.length / 8);
    return text;
  },
  hasAttrib(element, name) {
    step();
    return nodes.hasAttrib(element, name);
  },
  removeSubsets: (all) => nodes.removeSubsets(all),
};

/** @throws AppError invalid_input with a message for the author */
export function readSelector(text: string): Selector {
  try {
    stepsLeft = stepsMax;
    return { text, query: compile<AnyNode, Element>(text, { adapter: counting, cacheResults: false }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError("invalid_input", `“${text}” is not a CSS selector that can be used here: ${reason}`);
  }
}

/**
 * Returns the elements that a selector matches, in page order, including those in templates, which shadow roots are stored as.
 * @throws NotApplied where that takes too long
 */
export function findElements(document: Document, { query }: Selector): Element[] {
  stepsLeft = stepsMax;
  const found: Element[] = [];
  const waiting: AnyNode[] = [document];
  try {
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      step();
      if (isTag(node) && query(node)) found.push(node);
      if (hasChildren(node)) for (const child of node.children.toReversed()) waiting.push(child);
    }
    return found;
  } catch (error) {
    if (error instanceof RangeError) throw new NotApplied("the page is nested too deeply for the selector");
    throw error;
  }
}
