import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ByteLineNumbers } from "./byte-lines.js";
import { type LineNumbers, TextLineNumbers } from "./line-numbers.js";
import { lineStarts } from "./line-range.js";

function numbered(a: string, b: string): [number[], number[], number] {
  const [aStarts, bStarts] = [lineStarts(a), lineStarts(b)];
  return numbersOf(new TextLineNumbers(a, b, aStarts.length + bStarts.length), aStarts, bStarts);
}

/** One byte per UTF-16 unit, so that offsets stay what they are. */
function numberedAsBytes(a: string, b: string): [number[], number[], number] {
  const [aStarts, bStarts] = [lineStarts(a), lineStarts(b)];
  const lines = aStarts.length + bStarts.length;
  return numbersOf(new ByteLineNumbers(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"), lines), aStarts, bStarts);
}

function numbersOf<Text>(
  numbers: LineNumbers<Text>,
  aStarts: Int32Array,
  bStarts: Int32Array,
): [number[], number[], number] {
  const aTokens = numbers.ofA(aStarts, 0, aStarts.length - 1);
  const bTokens = numbers.ofOther(bStarts, 0, bStarts.length - 1, aTokens);
  return [[...aTokens], [...bTokens], numbers.size];
}

function byMap(a: string, b: string): [number[], number[], number] {
  const known = new Map<string, number>();
  const number = (text: string) =>
    (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
      const found = known.get(line) ?? known.size;
      known.set(line, found);
      return found;
    });
  return [number(a), number(b), known.size];
}

describe("numbers of lines", () => {
  const line = fc.oneof(
    fc.constantFrom("", "a", "<li>one</li>", "<p>" + "x".repeat(40) + "</p>"),
    fc.string({ maxLength: 60 }),
    // equal where a hash looks, different between
    fc.nat(30).map((at) => `${"s".repeat(40)}${"t".repeat(at)}u${"t".repeat(30 - at)}${"e".repeat(40)}`),
  );
  const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.join("\n"));

  test("are those of a map", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(numbered(a, b)).toEqual(byMap(a, b));
        expect(numberedAsBytes(a, b)).toEqual(byMap(a, b));
      }),
      { numRuns: 400 },
    );
  });

  test("many lines that look alike to the hash stay apart, and cost no search through all of them", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => {
      const middle = index.toString(2).padStart(15, "0").replaceAll("0", "aaaaaaaaaa").replaceAll("1", "aaaaabaaaa");
      return `${"-".repeat(200)}${middle}${"-".repeat(200)}`;
    });
    const many = lines.join("\n");
    expect(numbered(many, many)[2]).toBe(20_000);
    expect(numberedAsBytes(many, many)[2]).toBe(20_000);
  });
});
