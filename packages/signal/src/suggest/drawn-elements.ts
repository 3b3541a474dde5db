import type { DrawnElement } from "@web-tester/contracts/entities/rule";
import type { Element } from "domhandler";
import { readSelector } from "../mask/find-elements.js";
import { NotApplied } from "../mask/not-applied.js";
import { Page, type Range } from "../mask/page.js";

/**
 * Returns the ranges, in the source of a page, of elements that a browser drew. Elements that the browser generated (such
 * as `tbody`) or that it drew differently from the source are found by their id, or not at all.
 */
export function placesOf(html: string, elements: readonly DrawnElement[]): Range[] {
  const page = new Page(html);
  return elements.flatMap(({ tag, nth, of, id }) => {
    const alike = /^[a-z][a-z0-9-]*$/.test(tag) ? find(page, tag) : [];
    const named = id === null || id === "" ? [] : alike.filter((element) => element.attribs["id"] === id);
    const element = named[0] ?? (alike.length === of ? alike[nth] : undefined);
    return element === undefined ? [] : [page.rangeOf(element)];
  });
}

function find(page: Page, tag: string): Element[] {
  try {
    return page.elements(readSelector(tag));
  } catch (error) {
    if (!(error instanceof NotApplied)) throw error;
    return [];
  }
}
