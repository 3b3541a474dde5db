import { describe, expect, test } from "@jest/globals";
import { compareContents } from "./compare-contents.js";

const changed = (a: string, b: string, by: "lines" | "words" | "chars" = "lines") =>
  compareContents({ a, b, as: "source", by, context: 3 });

describe("comparing pasted contents", () => {
  test("in another form, what that form leaves out makes no difference", () => {
    const pasted = { a: "<p>One<p class=a>Two", b: "<p>One  <p\nclass=b>Two", by: "lines", context: 3 } as const;
    expect(compareContents({ ...pasted, as: "source" })).toMatchObject({ identical: false });
    expect(compareContents({ ...pasted, as: "formatted" })).toMatchObject({ added: 1, removed: 1, b: { lines: 2 } });
    expect(compareContents({ ...pasted, as: "text" })).toMatchObject({ identical: true });
  });

  test("says what came and what went, with the lines of both sides", () => {
    const result = changed("one\ntwo\nthree\n", "one\n2\nthree\nfour\n");
    expect(result).toMatchObject({ identical: false, coarse: false, added: 2, removed: 1, changes: 2 });
    expect([result.a.lines, result.b.lines]).toEqual([3, 4]);
    expect(result.hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`))).toEqual([
      "context one",
      "removed two",
      "added 2",
      "context three",
      "added four",
    ]);
  });

  test("one empty side is all new or all gone", () => {
    expect(changed("", "a\nb")).toMatchObject({ added: 2, removed: 0 });
    expect(changed("a\nb", "")).toMatchObject({ added: 0, removed: 2 });
  });

  test("the same on both sides has nothing to show", () => {
    expect(changed("a\nb", "a\nb")).toMatchObject({ identical: true, hunks: [], changes: 0 });
  });

  test("words and characters are counted as such", () => {
    expect(changed("a quick fox", "a slow fox", "words")).toMatchObject({ by: "words", added: 1, removed: 1 });
    expect(changed("cat", "cut", "chars")).toMatchObject({ by: "chars", added: 1, removed: 1 });
  });
});
