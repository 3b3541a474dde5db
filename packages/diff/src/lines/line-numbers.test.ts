import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ByteLineNumbers } from "./byte-lines.js";
import { TextLineNumbers } from "./line-numbers.js";
import { lineStarts } from "./line-range.js";

type Numbered = [a: number[], b: number[], distinct: number];

function numbered(a: string, b: string): Numbered {
  const [aStarts, bStarts] = [lineStarts(a), lineStarts(b)];
  const numbers = new TextLineNumbers(a, b, aStarts.length + bStarts.length);
  const aTokens = numbers.ofA(aStarts, 0, aStarts.length - 1);
  const bTokens = numbers.ofOther(bStarts, 0, bStarts.length - 1, aTokens);
  return [[...aTokens], [...bTokens], numbers.size];
}

/** Numbers the lines of texts with one byte per UTF-16 unit, so that offsets stay the same. */
function numberedAsBytes(a: string, b: string): Numbered {
  const aStarts = lineStarts(a);
  const bytes = Buffer.from(b, "latin1");
  const numbers = new ByteLineNumbers(Buffer.from(a, "latin1"), bytes, aStarts.length);
  const aTokens = numbers.ofA(aStarts, 0, aStarts.length - 1);
  const bTokens = numbers.ofB(0, bytes.length, aStarts, aTokens);
  return [[...aTokens], [...bTokens], numbers.size];
}

const textOf = (lines: readonly number[]): string => lines.map((number) => `${number}\n`).join("");

/** Numbers lines with hashes that are their numbers, shifted: many want the same places of a small table, and fewer those of a larger one. */
function numberedAlike(aLines: readonly number[], bLines: readonly number[], shift: number): Numbered {
  class Contrived extends TextLineNumbers {
    protected override hashOf(text: string, start: number, end: number): number {
      return Number(text.slice(start, end - 1)) << shift;
    }
  }
  const [a, b] = [textOf(aLines), textOf(bLines)];
  const [aStarts, bStarts] = [lineStarts(a), lineStarts(b)];
  // the table begins small and grows several times
  const numbers = new Contrived(a, b, 32);
  const aTokens = numbers.ofA(aStarts, 0, aStarts.length - 1);
  const bTokens = numbers.ofOther(bStarts, 0, bStarts.length - 1, aTokens);
  return [[...aTokens], [...bTokens], numbers.size];
}

function byMap(a: string, b: string): Numbered {
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
    // equal in the parts that a hash samples, different between
    fc.nat(30).map((at) => `${"s".repeat(40)}${"t".repeat(at)}u${"t".repeat(30 - at)}${"e".repeat(40)}`),
  );
  const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.join("\n"));
  /** Pairs of texts with long common stretches, cut anywhere, with another text between. */
  const edited = fc.tuple(text, text, fc.nat(), fc.nat(), text).map(([begin, end, from, to, other]) => {
    const a = `${begin}\n${end}`.repeat(3);
    return [a, a.slice(0, from % (a.length + 1)) + other + a.slice(to % (a.length + 1))] as const;
  });

  test("are those of a map", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(text, text), edited), ([a, b]) => {
        expect(numbered(a, b)).toEqual(byMap(a, b));
        expect(numberedAsBytes(a, b)).toEqual(byMap(a, b));
      }),
      { numRuns: 800 },
    );
  });

  test("of a text that is much longer than the other are all told apart", () => {
    for (let seed = 0; seed < 10; seed++) {
      const lines = Array.from({ length: 1_000 }, (_, index) => `line ${(index % 500) + seed * 1_000}\n`);
      const [short, long] = ["one\n", lines.join("")];
      expect(numberedAsBytes(short, long)).toEqual(byMap(short, long));
      expect(numberedAsBytes(long, short)).toEqual(byMap(long, short));
    }
  });

  test("of a last line that only one of the texts ends are different", () => {
    for (const [a, b] of [
      ["one\ntwo", "one\ntwo\n"],
      ["one\ntwo\n", "one\ntwo"],
      ["one\ntwo", "one\ntwo\nthree"],
    ] as const)
      expect(numberedAsBytes(a, b)).toEqual(byMap(a, b));
  });

  test("are those of a map where lines want the same places", () => {
    const every = Array.from({ length: 256 }, (_, index) => index);
    // when the table grows to 512, the first even number finds a free place, as it wants another one than the odd numbers
    const a = [...every.filter((number) => number % 2 === 1), 0, 2];
    for (const shift of [0, 4, 8, 12, 16])
      for (const b of [every, [...every, ...a].reverse()])
        expect(numberedAlike(a, b, shift)).toEqual(byMap(textOf(a), textOf(b)));
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
