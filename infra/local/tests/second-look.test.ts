import { expect, test } from "@jest/globals";
import { lookAgain } from "./second-look.mjs";

const failure = (file: string, ...titles: string[]) => ({ file, titles, isBroken: false });
const outcome = (passed: number, failed: number) => ({ passed, failed, skipped: 0, failures: [] });

function begin(outcomes: Record<string, [passed: number, failed: number]>) {
  const asked: string[] = [];
  const lines: string[] = [];
  const runAlone = (files: string[]) => {
    const [file = ""] = files;
    asked.push(file);
    const [passed, failed] = outcomes[file] ?? [0, 1];
    return Promise.resolve(outcome(passed, failed));
  };
  return {
    asked,
    lines,
    look: (...failures: { file: string; titles: string[]; isBroken: boolean }[]) =>
      lookAgain(failures, runAlone, (line) => lines.push(line)),
  };
}

test("a file that passes alone is named with what had failed in it", async () => {
  const { asked, lines, look } = begin({ "a.test.ts": [9, 0], "b.test.ts": [3, 0] });
  expect(await look(failure("a.test.ts", "one", "two"), failure("b.test.ts", "three"))).toBe(3);
  expect(asked).toEqual(["a.test.ts", "b.test.ts"]);
  expect(lines.map((line) => line.replace(/: .*: /, ": "))).toEqual(
    ["one", "two", "three"].map((title) => `Failed beside others, passed alone: ${title}`),
  );
});

test("the end of a file that failed with its tests, or alone, is made good where the file passes", async () => {
  const { lines, look } = begin({ "a.test.ts": [2, 0], "b.test.ts": [1, 0], "c.test.ts": [0, 0] });
  const broken = (file: string, ...titles: string[]) => ({ ...failure(file, ...titles), isBroken: true });
  expect(await look(broken("a.test.ts", "one", "two"), broken("b.test.ts"), broken("c.test.ts"))).toBe(4);
  expect(lines).toHaveLength(4);
});

test("a file in which anything fails again stays failed, and so does one in which nothing ran", async () => {
  const { lines, look } = begin({ "a.test.ts": [8, 1], "b.test.ts": [0, 0] });
  expect(await look(failure("a.test.ts", "one"), failure("b.test.ts", "two"))).toBe(0);
  expect(lines).toEqual([]);
});

test("what fails in many files is looked at once", async () => {
  const { asked, look } = begin({});
  expect(await look(...["a", "b", "c", "d", "e"].map((file) => failure(file, "one")))).toBe(0);
  expect(asked).toEqual([]);
});
