import { describe, expect, test } from "@jest/globals";
import { compare } from "../compare.js";
import { rebuildB } from "./rebuild.js";

describe("hunks of more lines than are wanted", () => {
  test("those beyond the limit are left out and said so, counts are whole", () => {
    const a = Array.from({ length: 1_000 }, (_, i) => `${i}\nsame`).join("\n");
    const comparison = compare(a, a.replaceAll(/\d+/g, "$&x"), {
      by: "lines",
      context: 0,
      limits: { maxHunkLines: 100 },
    });
    expect(comparison).toMatchObject({ truncated: true, added: 1_000, removed: 1_000, changes: 1_000 });
    expect(comparison.hunks).toHaveLength(50);
    expect(() => rebuildB(a, comparison)).toThrow(/higher limit/);
  });

  test("of a change that alone has more lines than hunks may hold, the beginning is shown", () => {
    const text = (word: string) => `same\n${Array.from({ length: 1_000 }, (_, i) => `${word} ${i}\n`).join("")}`;
    const asked = { by: "lines", limits: { maxHunkLines: 100 } } as const;
    const comparison = compare(text("old"), text("new"), asked);
    expect(comparison).toMatchObject({ truncated: true, added: 1_000, removed: 1_000, changes: 1 });
    const [hunk] = comparison.hunks;
    expect(hunk).toMatchObject({ aStart: 1, bStart: 1 });
    const count = (kind: string) => hunk?.lines.filter((line) => line.kind === kind).length;
    expect([count("context"), count("removed"), count("added")]).toEqual([1, 49, 50]);
    expect([hunk?.aCount, hunk?.bCount]).toEqual([50, 51]);
    expect(hunk?.lines.at(-1)?.text).toBe("new 49");
    expect(compare("", text("new"), asked).hunks[0]?.lines).toHaveLength(100);
    expect(compare("a\n", "b\n", { by: "lines", limits: { maxHunkLines: 0 } })).toMatchObject({
      hunks: [],
      truncated: true,
    });
  });
});
