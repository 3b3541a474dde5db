import { expect, test } from "@jest/globals";
import { readSelector } from "./find-elements.js";
import { Page } from "./page.js";

const html = '<ul class="a"><li data-x=1>One<li>Two</ul><p id="b" title="x > y">Words <b>of</b> it</p><br>';

test("what elements hold, with and without an end tag of their own", () => {
  const page = new Page(html);
  const contents = (selector: string) =>
    page.elements(readSelector(selector)).map((element) => html.slice(...page.contentOf(element)));
  expect(contents("li")).toEqual(["One", "Two"]);
  expect(contents("p")).toEqual(["Words <b>of</b> it"]);
  expect(contents("br")).toEqual([""]);
});

test("elements in shadow trees and those of SVG are found as others are", () => {
  const [shadow, svg] = [
    "<x-price><template shadowrootmode=open><p class=price>9</p></template></x-price><p class=price>8</p>",
    '<svg><linearGradient id="a1">x</linearGradient><foreignObject><p>y</p></foreignObject></svg>',
  ].map((text) => new Page(text));
  const texts = (page: Page | undefined, selector: string) =>
    page?.elements(readSelector(selector)).map((element) => page.html.slice(...page.contentOf(element)));
  expect(texts(shadow, ".price")).toEqual(["9", "8"]);
  expect(texts(shadow, "x-price .price")).toEqual(["9"]);
  expect(texts(shadow, "template")).toEqual(["<p class=price>9</p>"]);
  expect(texts(svg, "svg > linearGradient")).toEqual(["x"]);
  expect(texts(svg, "foreignObject p")).toEqual(["y"]);
});

test("pages that are looked at by turns do not disturb one another", () => {
  const [one, other] = [new Page(html), new Page(`<i title='${"z".repeat(50)}'></i>${html}`)];
  const titleOf = (page: Page) =>
    page.elements(readSelector("[title]")).map((element) => {
      const place = page.attribute(element, "title");
      return place === null ? null : page.html.slice(...place.value);
    });
  expect(titleOf(one)).toEqual(["x > y"]);
  expect(titleOf(other)).toEqual(["z".repeat(50), "x > y"]);
  expect(titleOf(one)).toEqual(["x > y"]);
});

test("where elements stand is found in a page of very many that have no end tags", () => {
  const many = new Page("<hr>".repeat(200_000));
  const elements = many.elements(readSelector("hr"));
  const ranges = elements.map((element) => [many.rangeOf(element), many.contentOf(element)]);
  expect(ranges).toHaveLength(200_000);
  expect(ranges.at(-1)).toEqual([
    [799_996, 800_000],
    [800_000, 800_000],
  ]);
});
