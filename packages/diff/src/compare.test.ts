import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { diffArrays } from "diff";
import fc from "fast-check";
import { type By, compare, type CompareOptions, type Comparison } from "./compare.js";
import { countChangedLines } from "./lines/count-changes.js";
import { lineStarts, splitLines } from "./lines/line-range.js";
import { rebuildA, rebuildB } from "./hunks/rebuild.js";
import { dice } from "./test-dice.js";
import { tokenEnd } from "./words/tokenize.js";

const units: By[] = ["lines", "words", "chars"];
const spaces = [" ", "  ", "\n", "\n", "\r\n", "\t"];
const hard = ["é", "e\u0301", "😀", "👨‍👩‍👧", "🇩🇪", "\ud800", "\udc00", "\0", "一"];
const pieces = ["a", "b", "foo", "bar", ...spaces, "<b>", "</b>", "><", ...hard, "1", "=", '"'];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 80 }).map((list) => list.join(""));
const texts = fc.oneof(
  fc.tuple(text, text),
  fc
    .tuple(
      fc.array(fc.constantFrom(...pieces), { maxLength: 200 }),
      fc.infiniteStream(fc.nat({ max: 30 })),
      fc.infiniteStream(fc.constantFrom(...pieces)),
    )
    .map(([list, rolls, fresh]) => {
      const edited = list.flatMap((piece) => {
        const roll = rolls.next().value;
        return roll > 2 ? [piece] : roll === 2 ? [piece, fresh.next().value] : roll === 1 ? [fresh.next().value] : [];
      });
      return [list.join(""), edited.join("")] as [string, string];
    }),
);
const options = fc.record({
  by: fc.constantFrom(...units),
  context: fc.nat({ max: 5 }),
  breaks: fc.constantFrom("newline" as const, "tags" as const),
  marks: fc.constantFrom("all", "long", "none"),
  limits: fc.constantFrom(
    {},
    {},
    {},
    { maxSteps: 100 },
    { maxSteps: 0 },
    { maxTokens: 12 },
    { maxTokens: 0 },
    { maxEdits: 2 },
    { timeMs: 0 },
  ),
});

function tokensOf(unit: "words" | "chars", whole: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < whole.length;) {
    const end = tokenEnd(unit, whole, at, whole.length);
    tokens.push(whole.slice(at, end));
    at = end;
  }
  return tokens;
}

function wholeLines(whole: string): string[] {
  const starts = lineStarts(whole);
  return Array.from({ length: starts.length - 1 }, (_, at) => whole.slice(starts[at], starts[at + 1]));
}

function oracle(a: string[], b: string[]): { added: number; removed: number } {
  const parts = diffArrays(a, b);
  const count = (pick: "added" | "removed"): number =>
    parts.filter((part) => part[pick]).reduce((sum, part) => sum + part.count, 0);
  return { added: count("added"), removed: count("removed") };
}

/** The unmarked rest of each side's changed lines, block by block: with word or character marks both sides must be left with the same text. */
function unmarked(comparison: Comparison): [string, string][] {
  const rests: [string, string][] = [];
  for (const hunk of comparison.hunks) {
    let rest: [string, string] = ["", ""];
    for (const line of hunk.lines) {
      if (line.kind === "context") {
        rests.push(rest);
        rest = ["", ""];
        continue;
      }
      let done = 0;
      for (const [from, to] of line.marks ?? []) {
        expect(from).toBeGreaterThanOrEqual(done);
        expect(to).toBeGreaterThan(from);
        expect(to).toBeLessThanOrEqual(line.text.length);
        for (const edge of [from, to])
          expect(/^[\ud800-\udbff][\udc00-\udfff]/.test(line.text.slice(edge - 1, edge + 1)) && edge > 0).toBe(false);
        rest[line.kind === "removed" ? 0 : 1] += line.text.slice(done, from);
        done = to;
      }
      rest[line.kind === "removed" ? 0 : 1] += line.text.slice(done);
    }
    rests.push(rest);
  }
  return rests;
}

function check(a: string, b: string, asked: CompareOptions): Comparison {
  const comparison = compare(a, b, asked);
  expect(rebuildB(a, comparison)).toBe(b);
  expect(rebuildA(b, comparison)).toBe(a);
  expect(comparison.identical).toBe(a === b);
  expect(comparison.hunks.length === 0).toBe(a === b);
  if (asked.by !== "lines") for (const [left, right] of unmarked(comparison)) expect(left).toBe(right);
  for (const hunk of comparison.hunks) {
    expect(hunk.lines.filter((line) => line.kind !== "added")).toHaveLength(hunk.aCount);
    expect(hunk.lines.filter((line) => line.kind !== "removed")).toHaveLength(hunk.bCount);
  }
  return comparison;
}

describe("laws", () => {
  test("every result rebuilds both sides, whatever the limits", () => {
    fc.assert(
      fc.property(texts, options, ([a, b], asked) => void check(a, b, asked)),
      { numRuns: 400 },
    );
  });

  test("identical texts have no difference", () => {
    fc.assert(
      fc.property(text, options, (a, asked) =>
        expect(compare(a, a, asked)).toMatchObject({
          identical: true,
          coarse: false,
          added: 0,
          removed: 0,
          linesAdded: 0,
          linesRemoved: 0,
          changes: 0,
          hunks: [],
        }),
      ),
    );
  });

  test("changed lines are as few as the oracle's, and the same from either side", () => {
    fc.assert(
      fc.property(texts, ([a, b]) => {
        const comparison = compare(a, b, { by: "lines" });
        const expected = oracle(wholeLines(a), wholeLines(b));
        expect({ added: comparison.added, removed: comparison.removed }).toEqual(expected);
        const back = compare(b, a, { by: "lines" });
        expect({ added: back.removed, removed: back.added }).toEqual(expected);
        expect(comparison.coarse).toBe(false);
      }),
    );
  });

  test("counting lines of UTF-8 gives what comparing them as text gives", () => {
    const oneText = texts.map(([a, b]) => [a.toWellFormed(), b.toWellFormed()] as const);
    fc.assert(
      fc.property(oneText, ([a, b]) => {
        const { added, removed } = compare(a, b, { by: "lines" });
        expect(countChangedLines(Buffer.from(a), Buffer.from(b))).toEqual({ added, removed, coarse: false });
      }),
    );
  });

  test.each(["words", "chars"] as const)("changed %s on one line are as few as the oracle's", (by) => {
    const oneLine = texts.map(([a, b]) => [a.replace(/[\r\n]/g, "_"), b.replace(/[\r\n]/g, "_")] as const);
    fc.assert(
      fc.property(oneLine, ([a, b]) => {
        const comparison = check(a, b, { by });
        const marked = { added: 0, removed: 0 };
        for (const line of comparison.hunks.flatMap((hunk) => hunk.lines)) {
          if (line.kind !== "context")
            for (const [from, to] of line.marks ?? [])
              marked[line.kind] += tokensOf(by, line.text.slice(from, to)).length;
        }
        const expected = oracle(tokensOf(by, a), tokensOf(by, b));
        if (by === "chars") expect({ added: comparison.added, removed: comparison.removed }).toEqual(expected);
        // Adjacent marks may join two blanks into one token.
        expect(marked.added).toBeLessThanOrEqual(expected.added);
        expect(marked.removed).toBeLessThanOrEqual(expected.removed);
      }),
    );
  });

  test("characters added less removed is what the text grew by", () => {
    fc.assert(
      fc.property(texts, ([a, b]) => {
        const { added, removed, hunks } = compare(a, b, { by: "chars", context: 0 });
        const count = (kind: "added" | "removed"): number =>
          hunks
            .flatMap((hunk) => hunk.lines)
            .reduce(
              (sum, line) =>
                sum + (line.kind === kind ? tokensOf("chars", line.noEol ? line.text : `${line.text}\n`).length : 0),
              0,
            );
        expect(added - removed).toBe(count("added") - count("removed"));
      }),
    );
  });
});

describe("what people see", () => {
  const lines = (comparison: Comparison): string[] =>
    comparison.hunks.flatMap((hunk) =>
      hunk.lines.map(
        (line) =>
          `${line.kind === "context" ? " " : line.kind === "added" ? "+" : "-"}${line.text}${line.marks ? ` ${JSON.stringify(line.marks)}` : ""}`,
      ),
    );

  test("by line: words are marked where at least 30 % of a line stays", () => {
    const a = 'top\n<p class="x">up to 60 requests</p>\nX-RateLimit-Limit: 300\nend\n';
    const b = 'top\n<p class="x">up to 120 requests</p>\nsomething else here\nend\n';
    expect(lines(compare(a, b, { by: "lines" }))).toEqual([
      " top",
      '-<p class="x">up to 60 requests</p> [[19,21]]',
      "-X-RateLimit-Limit: 300",
      '+<p class="x">up to 120 requests</p> [[19,22]]',
      "+something else here",
      " end",
    ]);
    expect(compare(a, b, { by: "lines" })).toMatchObject({
      added: 2,
      removed: 2,
      linesAdded: 2,
      linesRemoved: 2,
      changes: 1,
      aLines: 4,
      bLines: 4,
    });
    for (const marks of ["long", "none"] as const)
      expect(lines(compare(a, b, { by: "lines", marks })).join("")).not.toContain("[[");
  });

  test("by word: words and symbols count, blanks only show", () => {
    expect(compare("the quick fox", "the slow red fox", { by: "words" })).toMatchObject({
      added: 2,
      removed: 1,
      linesAdded: 1,
      linesRemoved: 1,
    });
    expect(lines(compare("a  b\n", "a b\n", { by: "words" }))).toEqual(["-a  b [[1,3]]", "+a b [[1,2]]"]);
    expect(compare("a  b\n", "a b\n", { by: "words" })).toMatchObject({
      added: 0,
      removed: 0,
      identical: false,
      changes: 1,
    });
  });

  test("by character: pairs, marks and joined emoji stay whole", () => {
    expect(lines(compare("x😀y", "x😁y", { by: "chars" }))).toEqual(["-x😀y [[1,3]]", "+x😁y [[1,3]]"]);
    expect(compare("👨‍👩‍👧!", "👨‍👩‍👦!", { by: "chars" })).toMatchObject({ added: 1, removed: 1 });
    expect(compare("e\u0301", "e", { by: "chars" })).toMatchObject({ added: 1, removed: 1 });
    expect(compare("🇩🇪🇫🇷", "🇩🇪🇮🇹", { by: "chars" })).toMatchObject({ added: 1, removed: 1 });
  });

  test("a new element is shown from its first to its last line", () => {
    const item = (name: string): string => `  <li>\n    ${name}\n  </li>\n`;
    const comparison = compare(
      `<ul>\n${item("a")}${item("b")}</ul>\n`,
      `<ul>\n${item("a")}${item("c")}${item("b")}</ul>\n`,
      { by: "lines", context: 0 },
    );
    expect(lines(comparison)).toEqual(["+  <li>", "+    c", "+  </li>"]);
    expect(comparison.hunks[0]).toMatchObject({ aStart: 5, aCount: 0, bStart: 5, bCount: 3 });
  });

  test("context joins changes that are near, and 0 to 100 lines are shown", () => {
    const a = Array.from({ length: 300 }, (_, i) => `line ${i}`);
    const b = a.map((line, i) => (i === 100 || i === 107 || i === 200 ? `${line} new` : line));
    const hunks = (context: number) =>
      compare(a.join("\n"), b.join("\n"), { by: "lines", context }).hunks.map((hunk) => [hunk.aStart, hunk.aCount]);
    expect(hunks(0)).toEqual([
      [101, 1],
      [108, 1],
      [201, 1],
    ]);
    expect(hunks(3)).toEqual([
      [98, 14],
      [198, 7],
    ]);
    expect(hunks(100)).toEqual([[1, 300]]);
  });

  test("only the final newline differs", () => {
    const comparison = compare("a\nb", "a\nb\n", { by: "lines" });
    expect(comparison).toMatchObject({ identical: false, added: 1, removed: 1 });
    expect(comparison.hunks[0]?.lines).toMatchObject([
      { kind: "context" },
      { kind: "removed", text: "b", noEol: true },
      { kind: "added", text: "b" },
    ]);
  });

  test("minified HTML: the change is marked, and breaking at tags gives it lines of its own", () => {
    const page = (price: string): string =>
      `<div>${'<p class="row">Some text that stays</p>'.repeat(500)}<b>${price}</b>${"<i>more</i>".repeat(500)}</div>`;
    const [a, b] = [page("10 EUR"), page("12 EUR")];
    const at = a.indexOf("10 EUR");
    const plain = compare(a, b, { by: "lines", marks: "long" });
    expect(plain).toMatchObject({ added: 1, removed: 1, coarse: false });
    expect(plain.hunks[0]?.lines.map((line) => line.marks)).toEqual([[[at, at + 2]], [[at, at + 2]]]);
    const withoutMarks = compare(a, b, { by: "lines", marks: "none" });
    expect(withoutMarks.hunks[0]?.lines.map((line) => line.marks)).toEqual([undefined, undefined]);
    expect(compare(a, b, { by: "words" })).toMatchObject({ added: 1, removed: 1, coarse: false });
    expect(compare(a, b, { by: "chars" })).toMatchObject({ added: 1, removed: 1, coarse: false });
    const broken = check(a, b, { by: "lines", breaks: "tags", context: 1 });
    expect(lines(broken)).toEqual([
      ' <p class="row">Some text that stays</p>',
      "-<b>10 EUR</b> [[3,5]]",
      "+<b>12 EUR</b> [[3,5]]",
      " <i>more</i>",
    ]);
  });
});

describe("hostile input", () => {
  const megabyte = (letter: string): string => `${letter.repeat(500_000)} ${"<b>".repeat(170_000)}`;
  const shuffled = (size: number, letters: number, seed: number): string => {
    const next = dice(seed);
    return Array.from({ length: size }, () => String.fromCharCode(97 + (next() % letters))).join("");
  };

  test.each([
    { name: "empty and empty", a: "", b: "" },
    { name: "empty and newline", a: "", b: "\n" },
    { name: "NUL bytes", a: "a\0b\n\0", b: "a\0c\n\0\0" },
    { name: "CRLF and LF", a: "a\r\nb\r\nc", b: "a\nb\r\nc\r\n" },
    { name: "lone surrogates", a: "\ud800\n\udc00\ud800", b: "\udc00\n\ud800\udc00" },
    { name: "1 MB on one line, start changed", a: megabyte("a"), b: `b${megabyte("a")}` },
    { name: "1 MB on one line, all changed", a: megabyte("a"), b: megabyte("b") },
  ])("$name", ({ a, b }) => {
    for (const by of units) for (const breaks of ["newline", "tags"] as const) check(a, b, { by, breaks });
  });

  test.each([
    {
      name: "16 KB of random letters",
      a: shuffled(16_000, 4, 1),
      b: shuffled(16_000, 4, 2),
      by: "chars" as const,
      maxSteps: 3_000_000,
    },
    {
      name: "20,000 lines of two kinds",
      a: shuffled(20_000, 2, 1).replaceAll(/./g, "$&\n"),
      b: shuffled(20_000, 2, 2).replaceAll(/./g, "$&\n"),
      by: "lines" as const,
      maxSteps: 8_000_000,
    },
  ])("$name: a capped answer is marked, and an uncapped one is no larger", ({ a, b, by, maxSteps }) => {
    const capped = check(a, b, { by, marks: "long", limits: { maxSteps } });
    const free = check(a, b, { by, marks: "long", limits: { maxSteps: 4_000_000_000, timeMs: 600_000 } });
    expect([capped.coarse, free.coarse]).toEqual([true, false]);
    expect(free.added + free.removed).toBeLessThanOrEqual(capped.added + capped.removed);
    expect(capped.added + capped.removed).toBeLessThan(1.5 * (free.added + free.removed));
  });

  test.each([
    [{ context: -1 }, /unchanged lines/],
    [{ context: 1.5 }, /unchanged lines/],
    [{ limits: { maxSteps: -1 } }, /maxSteps/],
    [{ limits: { timeMs: Number.NaN } }, /timeMs/],
  ])("refuses %j", (asked, message) => {
    expect(() => compare("a", "b", { by: "lines", ...asked })).toThrow(message);
  });

  const data = process.env["CONFORMANCE_DATA"] ?? "";
  const conformanceTest = data === "" ? test.skip : test;
  conformanceTest("naughty strings (needs CONFORMANCE_DATA)", () => {
    const parsed: unknown = JSON.parse(readFileSync(join(data, "naughty-strings.json"), "utf8"));
    const naughty = Array.isArray(parsed) ? parsed.map(String) : [];
    expect(naughty.length).toBeGreaterThan(100);
    const whole = naughty.join("\n");
    for (const by of units) {
      check(whole, naughty.toReversed().join("\n"), { by });
      naughty.forEach((one, at) => void check(one, naughty[(at * 7 + 1) % naughty.length] ?? "", { by }));
    }
    expect(splitLines(whole).join("\n")).toBe(whole);
  });
});
