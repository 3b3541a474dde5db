import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { compare } from "../compare.js";

const entry = (name: string) =>
  `<article>\n  <header>\n    <h2>\n    ${name}\n    </h2>\n  </header>\n  <div class="body">\n    <p>\n    Words of ${name}\n    </p>\n  </div>\n  <footer>\n    <span>More</span>\n  </footer>\n</article>\n`;
const list = (names: string) => `<main>\n${[...names].map(entry).join("")}</main>\n`;
const hunksOf = (a: string, b: string, wholeEntries: boolean) =>
  compare(a, b, { by: "lines", context: 0, marks: "none", wholeEntries }).hunks.map(({ lines }) =>
    lines.map(({ kind, text }) => `${kind === "added" ? "+" : "-"} ${text}`).join("\n"),
  );
const signed = (sign: string, text: string) => text.trimEnd().replaceAll(/^/gm, `${sign} `);

describe("entries of a list", () => {
  test("where two come and two go, those that stay are whole; the smallest difference makes each its neighbour", () => {
    const [before, after] = [list("ABCDEF"), list("XYABCD")];
    expect(hunksOf(before, after, true)).toEqual([
      signed("+", entry("X") + entry("Y")),
      signed("-", entry("E") + entry("F")),
    ]);
    const smallest = hunksOf(before, after, false);
    expect(smallest[0]).toBe("-     A\n+     X");
    expect(smallest).toHaveLength(12);
  });

  test("one that goes to the beginning is the only one that moves", () => {
    expect(hunksOf(list("ABCDEF"), list("FABCDE"), true)).toEqual([signed("+", entry("F")), signed("-", entry("F"))]);
  });

  test.each([
    ["an edit", list("ABCDEF"), list("ABXDEF")],
    ["one that is new", list("ABCDEF"), list("ABXCDEF")],
    ["two lines that only one side has", "a\nb\nc\nd\n", "a\nx\nc\ny\n"],
    ["nothing in common", "a\nb\n", "c\nd\n"],
  ])("of %s the difference is the smallest", (_name, before, after) => {
    expect(hunksOf(before, after, true)).toEqual(hunksOf(before, after, false));
  });

  test("with too little time for a second search, the difference is the smallest", () => {
    const [before, after] = [list("ABCDEF".repeat(60)), list("XY" + "ABCDEF".repeat(60).slice(0, -2))];
    const within = (maxSteps: number, wholeEntries: boolean) =>
      compare(before, after, { by: "lines", context: 0, marks: "none", wholeEntries, limits: { maxSteps } });
    const steps = [...Array.from({ length: 24 }).keys()].map((power) => 2 ** power);
    for (const maxSteps of steps)
      if (!within(maxSteps, false).coarse) expect(within(maxSteps, true).coarse).toBe(false);
    expect(within(1, true)).toEqual(within(1, false));
    expect(within(2 ** 23, false).coarse).toBe(false);
  });

  test("a difference leads from one text to the other, whatever the texts are", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "<p>", "</p>"), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [a, b] = [one, other].map((lines) => lines.map((line) => `${line}\n`).join(""));
        const { hunks } = compare(a ?? "", b ?? "", { by: "lines", context: 100, wholeEntries: true });
        const side = (kind: string) =>
          hunks.flatMap(({ lines }) => lines.filter((line) => line.kind !== kind).map(({ text: line }) => line));
        if (hunks.length === 0) expect(one).toEqual(other);
        else expect([side("added"), side("removed")]).toEqual([one, other]);
      }),
    );
  });
});
