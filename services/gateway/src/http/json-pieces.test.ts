import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { jsonPieces, longTextBytes } from "./json-pieces.js";

const joined = (value: unknown) => [...jsonPieces(value)].join("");

test("joined the pieces are what JSON.stringify makes, and a text is what it was", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(joined(value)).toBe(JSON.stringify(value));
    }),
  );
  for (const text of [
    "😀".repeat(100_000),
    `a${"😀".repeat(100_000)}`,
    '\u0001\n"\\'.repeat(50_000),
    "x".repeat(200_000),
    "\ud800".repeat(70_000),
  ]) {
    const pieces = [...jsonPieces({ html: text, left: undefined, list: [text, null] })];
    expect(pieces.join("")).toBe(JSON.stringify({ html: text, list: [text, null] }));
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(1_000_000);
  }
});

test("what long texts take in memory is counted wherever they stand", () => {
  const text = "x".repeat(100_000);
  expect(longTextBytes({ a: { html: text }, b: [text, "short", 1, null, undefined], at: new Date(0) })).toBe(400_000);
});
