import { expect, test } from "@jest/globals";
import { type DrawnDocument, elementsInRegion } from "./elements-in-region.js";

/** html > body > [p#one "text", p > img] as Chromium tells it: [name, parent, type, attributes, bounds]. */
const nodes: [string, number, number, Record<string, string>, [number, number, number, number]?][] = [
  ["HTML", -1, 1, {}, [0, 0, 1280, 800]],
  ["BODY", 0, 1, {}, [0, 0, 1280, 800]],
  ["P", 1, 1, { id: "one" }, [10, 10, 400, 40]],
  ["#text", 2, 3, {}, [10, 15, 120, 20]],
  ["P", 1, 1, {}, [10, 100, 400, 140]],
  ["IMG", 4, 1, { src: "http://replay.invalid/7.png" }, [20, 110, 100, 100]],
];
const strings: string[] = [];
const number = (text: string) => {
  if (!strings.includes(text)) strings.push(text);
  return strings.indexOf(text);
};
const drawn: DrawnDocument = {
  strings,
  parents: nodes.map(([, parent]) => parent),
  types: nodes.map(([, , type]) => type),
  names: nodes.map(([name]) => number(name)),
  attributes: nodes.map(([, , , attributes]) => Object.entries(attributes).flat().map(number)),
  boxes: nodes.flatMap(([, , , , bounds], node) => (bounds === undefined ? [] : [{ node, bounds }])),
};
const tags = (x: number, y: number, width: number, height: number) =>
  elementsInRegion(drawn, { x, y, width, height }).map(({ tag, nth, of }) => `${tag} ${nth} of ${of}`);

test("the largest elements inside a region, without what they hold", () => {
  expect(tags(0, 90, 500, 160)).toEqual(["p 1 of 2"]);
  expect(tags(0, 0, 1280, 800)).toEqual(["p 0 of 2", "p 1 of 2"]);
});

test("of a region inside an element, the smallest one there is", () => {
  expect(tags(15, 18, 30, 10)).toEqual(["p 0 of 2"]);
  expect(elementsInRegion(drawn, { x: 40, y: 130, width: 20, height: 20 })).toEqual([
    { tag: "img", nth: 0, of: 1, id: null, src: "http://replay.invalid/7.png" },
  ]);
});

test("where nothing is drawn there is nothing", () => {
  expect(tags(900, 700, 10, 10)).toEqual([]);
});
