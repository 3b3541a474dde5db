import { describe, expect, test } from "@jest/globals";
import type { DiffHunk, DiffLine } from "@web-tester/contracts/entities/compare";
import fc from "fast-check";
import { buildRows, type Row } from "./row-model.js";

const side = (lines: number) => ({
  id: "0190b0f0-0000-7000-8000-000000000001",
  number: 1,
  created_at: "2026-11-20T23:41:00Z",
  html_bytes: 1,
  lines,
});
const line = (kind: DiffLine["kind"], text: string): DiffLine => ({ kind, text });
const hunk = (aStart: number, bStart: number, lines: DiffLine[]): DiffHunk => ({
  aStart,
  bStart,
  aCount: lines.filter((each) => each.kind !== "added").length,
  bCount: lines.filter((each) => each.kind !== "removed").length,
  lines,
});
const shown = (row: Row) =>
  row.type === "gap"
    ? `${row.place} ${row.count} from ${row.aFrom}/${row.bFrom}`
    : `${row.a?.no ?? ""}${row.a?.kind === "removed" ? "-" : ""}|${row.b?.no ?? ""}${row.b?.kind === "added" ? "+" : ""}`;

const example = {
  by: "lines" as const,
  a: side(20),
  b: side(21),
  hunks: [
    hunk(5, 5, [
      line("context", "c"),
      line("removed", "x"),
      line("added", "y"),
      line("added", "z"),
      line("context", "c"),
    ]),
    hunk(15, 16, [line("removed", "q"), line("context", "c")]),
  ],
};

describe("rows", () => {
  test("split pairs the lines of a change and leaves a side empty", () => {
    expect(buildRows(example, "split").rows.map(shown)).toEqual([
      "start 4 from 1/1",
      "5|5",
      "6-|6+",
      "|7+",
      "7|8",
      "middle 7 from 8/9",
      "15-|",
      "16|16",
      "end 5 from 17/17",
    ]);
  });

  test("unified shows what went before what came", () => {
    expect(buildRows(example, "unified").rows.map(shown)).toEqual([
      "start 4 from 1/1",
      "5|5",
      "6-|",
      "|6+",
      "|7+",
      "7|8",
      "middle 7 from 8/9",
      "15-|",
      "16|16",
      "end 5 from 17/17",
    ]);
  });

  test("by words, versions of one line are one row and a line without a partner stands alone", () => {
    const lines = [
      line("removed", "quite different"),
      { ...line("removed", "one red hat"), marks: [[4, 7]] as [number, number][] },
      { ...line("added", "one blue hat"), marks: [[4, 8]] as [number, number][] },
      line("context", "c"),
    ];
    const { rows } = buildRows({ by: "words", a: side(3), b: side(2), hunks: [hunk(1, 1, lines)] }, "unified");
    expect(rows.map(shown)).toEqual(["1-|", "2-|1+", "3|2"]);
    expect(rows.flatMap((row) => (row.type === "line" && row.merged ? [row.merged] : []))).toEqual([
      { text: "one redblue hat", removed: [[4, 7]], added: [[7, 11]] },
    ]);
  });

  test("a block that stands elsewhere on the other side was moved", () => {
    const moved = "<p>A paragraph that is long enough</p>";
    const hunks = [
      hunk(2, 2, [line("removed", moved)]),
      hunk(9, 8, [line("added", moved), line("context", "c")]),
      hunk(12, 12, [line("removed", "short")]),
      hunk(15, 14, [line("added", "short")]),
    ];
    const { rows } = buildRows({ by: "lines", a: side(20), b: side(20), hunks }, "unified");
    const lines = rows.flatMap((row) => (row.type === "line" ? [row.b ?? row.a] : []));
    expect(lines.map((each) => each?.moved)).toEqual([
      "Moved to line 8",
      "Moved from line 2",
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("changes that do not count are no stops, and can be hidden", () => {
    const ignored = [
      { ...line("removed", "10:00"), ignored: "r" },
      { ...line("added", "10:01"), ignored: "r" },
    ];
    const diff = {
      ...{ by: "lines" as const, a: side(3), b: side(3), rules: [{ id: "r", title: "Clock" }] },
      hunks: [hunk(1, 1, [...ignored, line("context", "c"), line("removed", "x"), line("added", "y")])],
    };
    const seen = buildRows(diff, "split");
    expect(seen.changes).toHaveLength(1);
    expect(seen.rows[0]).toMatchObject({ change: undefined, b: { ignored: "Ignored: Clock", kind: "added" } });
    expect(buildRows(diff, "split", new Map(), "hidden").rows[0]).toMatchObject({ b: { kind: "context" } });
  });

  test("changes know their rows and what is in them", () => {
    expect(buildRows(example, "split").changes).toEqual([
      { first: 2, last: 3, removed: true, added: true },
      { first: 6, last: 6, removed: true, added: false },
    ]);
  });

  test("opened lines replace their part of the gap", () => {
    const opened = new Map([9, 10, 11, 15].map((no) => [no, `line ${no}`]));
    expect(buildRows(example, "split", opened).rows.map(shown).slice(4, 11)).toEqual([
      "7|8",
      "8|9",
      "9|10",
      "10|11",
      "middle 3 from 11/12",
      "14|15",
      "15-|",
    ]);
  });

  test("two equal documents are one gap; two empty ones nothing", () => {
    expect(buildRows({ by: "lines", a: side(9), b: side(9), hunks: [] }, "split").rows.map(shown)).toEqual([
      "all 9 from 1/1",
    ]);
    expect(buildRows({ by: "lines", a: side(0), b: side(0), hunks: [] }, "split").rows).toEqual([]);
  });

  test("a document that came from nothing", () => {
    const model = buildRows(
      { by: "lines", a: side(0), b: side(2), hunks: [hunk(0, 1, [line("added", "a"), line("added", "b")])] },
      "split",
    );
    expect(model.rows.map(shown)).toEqual(["|1+", "|2+"]);
    expect(model.changes).toEqual([{ first: 0, last: 1, removed: false, added: true }]);
  });

  test("colours continue over lines of the same side only", () => {
    const model = buildRows(
      {
        by: "lines",
        a: side(3),
        b: side(3),
        hunks: [
          hunk(1, 1, [line("removed", "<!-- a"), line("added", "<p>"), line("context", "b"), line("context", "-->")]),
        ],
      },
      "split",
    );
    const states = model.rows.map((row) => (row.type === "line" ? [row.a?.state, row.b?.state] : []));
    expect(states).toEqual([
      ["text", "text"],
      ["comment", "text"],
      ["comment", "text"],
    ]);
  });
});

test("every line of both documents is shown or counted in a gap, exactly once and in order", () => {
  const block = fc.record({ before: fc.nat(6), removed: fc.nat(4), added: fc.nat(4), context: fc.nat(2) });
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 6 }),
      fc.nat(5),
      fc.constantFrom("split" as const, "unified" as const),
      fc.constantFrom("lines" as const, "words" as const),
      fc.array(fc.integer({ min: 1, max: 40 })),
      (blocks, tail, view, by, open) => {
        let a = 0;
        let b = 0;
        const hunks = blocks.flatMap(({ before, removed, added, context }) => {
          a += before;
          b += before;
          const lines = [
            ...Array(removed).fill(line("removed", "r")),
            ...Array(added).fill(line("added", "a")),
            ...Array(context).fill(line("context", "c")),
          ];
          const made = hunk(a + 1, b + 1, lines);
          a += made.aCount;
          b += made.bCount;
          return lines.length === 0 ? [] : [made];
        });
        const model = buildRows(
          { by, a: side(a + tail), b: side(b + tail), hunks },
          view,
          new Map(open.map((no) => [no, "opened"])),
        );
        const seenA: number[] = [];
        const seenB: number[] = [];
        for (const row of model.rows) {
          if (row.type === "gap") {
            seenA.push(...Array.from({ length: row.count }, (_, index) => row.aFrom + index));
            seenB.push(...Array.from({ length: row.count }, (_, index) => row.bFrom + index));
          } else {
            if (row.a !== undefined) seenA.push(row.a.no);
            if (row.b !== undefined) seenB.push(row.b.no);
          }
        }
        expect(seenA).toEqual(Array.from({ length: a + tail }, (_, index) => index + 1));
        expect(seenB).toEqual(Array.from({ length: b + tail }, (_, index) => index + 1));
      },
    ),
  );
});

describe("a newline that is missing at the end", () => {
  const unended = (kind: DiffLine["kind"], text: string): DiffLine => ({ ...line(kind, text), noEol: true });
  const told = (...lines: DiffLine[]) =>
    buildRows({ by: "lines", a: side(9), b: side(9), hunks: [hunk(1, 1, lines)] }, "unified").rows.flatMap((row) =>
      row.type === "line" && (row.a ?? row.b)?.noEol === true ? [`${row.a?.no ?? ""}|${row.b?.no ?? ""}`] : [],
    );
  test.each([
    ["where it alone differs", ["1|"], [unended("removed", "x"), line("added", "x")]],
    [
      "where the same line goes on",
      ["2|"],
      [line("removed", "p"), unended("removed", "x"), line("added", "x"), unended("added", "y")],
    ],
    ["not where both sides end so", [], [unended("removed", "x"), unended("added", "y")]],
    ["not of unchanged lines", [], [line("removed", "x"), unended("context", "y")]],
  ])("is told %s", (_, rows, lines) => {
    expect(told(...lines)).toEqual(rows);
  });
});
