import { describe, expect, test } from "@jest/globals";
import { limits } from "@web-tester/contracts/limits";
import { checkHtmlSize, skipReasonOf } from "./bulk-entry.js";
import type { BulkRow, BulkSide } from "./select-bulk.sql.js";

const side = (bytes: number): BulkSide => ({ id: "s", number: 1, hash: "00", charset: null, bytes, assets: false });

describe("why a pair is skipped", () => {
  test.each<[BulkRow["outcome"], number, number, number, string | null]>([
    ["differs", 2, 1, 0, null],
    ["identical", 2, 1, 0, "Identical: both snapshots hold the same"],
    ["identical", 2, 0, 0, "Identical: both indices name the same snapshot"],
    ["too few", 0, 1, 0, "No finished snapshot, index 2 needs 2"],
    ["too few", 1, 1, 0, "Only 1 finished snapshot, index 2 needs 2"],
    ["too few", 3, 0, 19, "Only 3 finished snapshots, index 20 needs 20"],
  ])("%s with %i snapshots at %i and %i", (outcome, snapshots, idx1, idx2, reason) => {
    expect(skipReasonOf({ outcome, snapshots, besides: null }, { idx1, idx2 })).toBe(reason);
  });

  test("files and headers that changed beside the same HTML are named", () => {
    const besides = { files: 2, facts: ["title" as const] };
    const indices = { idx1: 1, idx2: 0 };
    expect(skipReasonOf({ outcome: "identical", snapshots: 2, besides }, indices)).toBe(
      "The HTML is identical; beside it changed 2 files, the title",
    );
    expect(skipReasonOf({ outcome: "differs", snapshots: 2, besides }, indices)).toBeNull();
  });
});

describe("the size of a page", () => {
  const half = limits.bulkDiffHtmlMaxBytes / 2;

  test("what just fits is answered", () => {
    expect(() => checkHtmlSize([{ outcome: "differs", one: side(half), other: side(half) }])).not.toThrow();
  });

  test("one byte more is refused, with what to do", () => {
    expect(() => checkHtmlSize([{ outcome: "differs", one: side(half), other: side(half + 1) }])).toThrow(/html=false/);
  });

  test("skipped pairs weigh nothing, for their HTML is not sent", () => {
    expect(() => checkHtmlSize([{ outcome: "identical", one: side(half * 4), other: side(half * 4) }])).not.toThrow();
  });
});
