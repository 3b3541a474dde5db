import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Budget } from "./budget.js";
import type { Changed } from "./box.js";
import { keepDense } from "./dense.js";
import { matchTokens } from "./match.js";
import { keepSparse } from "./sparse.js";
import { dice } from "../test-dice.js";

/** The textbook algorithm with a full table: slow but obviously correct. */
function longestCommon(a: Int32Array, b: Int32Array): number {
  let row = new Int32Array(b.length + 1);
  for (const token of a) {
    const next = new Int32Array(b.length + 1);
    for (let j = 0; j < b.length; j++)
      next[j + 1] = token === b[j] ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0);
    row = next;
  }
  return row[b.length] ?? 0;
}

const kept = (tokens: Int32Array, flags: Uint8Array): number[] => [...tokens].filter((_, at) => flags[at] === 0);
const everything = (a: Int32Array, b: Int32Array): Changed => ({
  a: new Uint8Array(a.length).fill(1),
  b: new Uint8Array(b.length).fill(1),
});

const tokens = (ids: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: ids - 1 }), { maxLength: most }).map((list) => Int32Array.from(list));
/** Generates two sides, the second of which is an edited copy of the first, as with real pages. */
const edited = (ids: number, most: number) =>
  fc
    .tuple(tokens(ids, most), fc.infiniteStream(fc.nat({ max: 40 })), fc.infiniteStream(fc.nat({ max: ids - 1 })))
    .map(([a, rolls, fresh]) => {
      const b: number[] = [];
      for (const token of a) {
        const roll = rolls.next().value;
        const other = fresh.next().value;
        if (roll > 2) b.push(token);
        if (roll === 1 || roll === 2) b.push(other);
      }
      return [a, Int32Array.from(b)] as const;
    });
const pairs = fc
  .integer({ min: 1, max: 60 })
  .chain((ids) => fc.tuple(fc.constant(ids), fc.oneof(fc.tuple(tokens(ids, 120), tokens(ids, 120)), edited(ids, 300))));

describe("matchTokens", () => {
  test("keeps a longest common subsequence", () => {
    fc.assert(
      fc.property(pairs, ([ids, [a, b]]) => {
        const budget = new Budget(1e9, 60_000, Number.MAX_SAFE_INTEGER);
        const changed = matchTokens(a, b, ids, budget);
        expect(kept(a, changed.a)).toEqual(kept(b, changed.b));
        expect(kept(a, changed.a)).toHaveLength(longestCommon(a, b));
        expect(budget.coarse).toBe(false);
      }),
    );
  });

  test("keeps a common subsequence whatever the limits, and the longest unless it says coarse", () => {
    const limits = fc.record({
      steps: fc.nat({ max: 20_000 }),
      edits: fc.oneof(fc.nat({ max: 20 }), fc.constant(Number.MAX_SAFE_INTEGER)),
    });
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(pairs, limits, ([ids, [a, b]], { steps, edits }) => {
        const budget = new Budget(steps, 60_000, edits);
        const changed = matchTokens(a, b, ids, budget);
        expect(kept(a, changed.a)).toEqual(kept(b, changed.b));
        if (!budget.coarse) expect(kept(a, changed.a)).toHaveLength(longestCommon(a, b));
        seen.add(budget.coarse);
      }),
      {
        numRuns: 300,
        examples: [[[4, [Int32Array.of(0, 1, 2, 3), Int32Array.of(1, 0, 3, 2)]], { steps: 0, edits: 9 }]],
      },
    );
    expect(seen.size).toBe(2);
  });

  test.each([
    ["sparse", keepSparse],
    ["dense", keepDense],
  ])("the %s engine alone is exact", (_, engine) => {
    fc.assert(
      fc.property(pairs, ([ids, [a, b]]) => {
        fc.pre(a.length > 0 && b.length > 0);
        const changed = everything(a, b);
        engine(a, b, ids, changed);
        expect(kept(a, changed.a)).toEqual(kept(b, changed.b));
        expect(kept(a, changed.a)).toHaveLength(longestCommon(a, b));
      }),
    );
  });

  test("the dense engine is exact where it computes a band only, however the band has to widen", () => {
    const blocks = fc.array(fc.tuple(fc.nat(1_400), fc.nat(1_400), fc.integer({ min: 1, max: 300 })), { maxLength: 4 });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 2_000 }), fc.nat(), blocks, (ids, seed, moves) => {
        const next = dice(seed);
        const a = Int32Array.from({ length: 1_500 }, () => next() % ids);
        const b = [...a];
        // moved blocks, which take the path away from the diagonal and back
        for (const [from, to, length] of moves) b.splice(to, 0, ...b.splice(from, length));
        const other = Int32Array.from(b.filter(() => next() % 50 > 0));
        const changed = everything(a, other);
        keepDense(a, other, ids, changed);
        expect(kept(a, changed.a).join()).toBe(kept(other, changed.b).join());
        expect(kept(a, changed.a)).toHaveLength(longestCommon(a, other));
      }),
      { numRuns: 40 },
    );
  });
});

describe("worst cases stay inside the steps granted", () => {
  const random = (length: number, ids: number, seed: number): Int32Array => {
    const next = dice(seed);
    return Int32Array.from({ length }, () => next() % ids);
  };
  const rising = Int32Array.from({ length: 40_000 }, (_, i) => i);
  const moved = Int32Array.from({ length: 40_000 }, (_, i) => ((((i / 100) | 0) * 7919) % 400) * 100 + (i % 100));

  test.each([
    { name: "nothing in common", a: rising, b: rising.map((id) => id + 40_000), ids: 80_000, exact: true, atLeast: 0 },
    { name: "400 blocks moved", a: rising, b: moved, ids: 40_000, exact: true, atLeast: 1_000 },
    {
      name: "two tokens at random",
      a: random(30_000, 2, 1),
      b: random(30_000, 2, 2),
      ids: 2,
      exact: false,
      atLeast: 20_000,
    },
    {
      name: "a thousand tokens at random",
      a: random(30_000, 1_000, 1),
      b: random(30_000, 1_000, 2),
      ids: 1_000,
      exact: true,
      atLeast: 1_500,
    },
    {
      name: "300,000 tokens, two edits far apart",
      a: Int32Array.from({ length: 300_000 }, (_, i) => (i === 10 ? 2 : i % 2)),
      b: Int32Array.from({ length: 300_000 }, (_, i) => (i === 299_990 ? 2 : i % 2)),
      ids: 3,
      exact: true,
      atLeast: 299_997,
    },
    {
      name: "all equal, lengths apart",
      a: new Int32Array(50_000),
      b: new Int32Array(20_000),
      ids: 1,
      exact: true,
      atLeast: 20_000,
    },
  ])("$name", ({ a, b, ids, exact, atLeast }) => {
    const granted = 30_000_000;
    const budget = new Budget(granted, 60_000, Number.MAX_SAFE_INTEGER);
    const changed = matchTokens(a, b, ids, budget);
    // compared as one string: comparing long lists entry by entry takes the test runner seconds
    expect(kept(a, changed.a).join() === kept(b, changed.b).join()).toBe(true);
    expect(kept(a, changed.a).length).toBeGreaterThanOrEqual(atLeast);
    expect(budget.coarse).toBe(!exact);
    // one operation may notice late that the budget is used up
    expect(budget.steps).toBeGreaterThan(-granted / 10);
  });

  test("a spent budget leaves everything between the common ends changed, and says so", () => {
    const budget = new Budget(0, 60_000, Number.MAX_SAFE_INTEGER);
    const changed = matchTokens(Int32Array.of(0, 1, 2, 3, 4), Int32Array.of(0, 2, 1, 4), 5, budget);
    expect([...changed.a]).toEqual([0, 1, 1, 1, 0]);
    expect([...changed.b]).toEqual([0, 1, 1, 0]);
    expect(budget.coarse).toBe(true);
  });
});
