import { expect, test } from "@jest/globals";
import { parseMemory, parseProcessLine, residentTogether, treeOf } from "./processes.mjs";

test("parseProcessLine reads numbers behind a name with blanks and brackets", () => {
  const line = "4242 (post) gres: a (b) S 17 4242 4242 0 -1 4194560 100 200 0 0 11 22 33 44 20 0 1 0 12345 1000000 500";
  expect(parseProcessLine(line)).toEqual({ pid: 4242, ppid: 17, name: "post) gres: a (b", ticks: 33, reapedTicks: 77 });
});

test("parseMemory reads kilobytes, and nothing of a process without memory", () => {
  expect(
    parseMemory(
      "Name:\tx\nVmHWM:\t    2048 kB\nRssAnon:\t     1000 kB\nRssFile:\t      20 kB\nRssShmem:\t       3 kB\n",
    ),
  ).toEqual({ hwm: 2048 * 1024, anon: 1000 * 1024, file: 20 * 1024, shmem: 3 * 1024 });
  expect(parseMemory("Name:\tgone\nState:\tZ (zombie)\n")).toBeUndefined();
});

test("treeOf takes descendants, and leaves other parts with theirs out", () => {
  const line = (pid: number, ppid: number) => ({ pid, ppid, name: "", ticks: 0, reapedTicks: 0 });
  const lines = [line(1, 0), line(10, 1), line(11, 10), line(12, 11), line(20, 10), line(21, 20)];
  expect(treeOf(lines, 10, new Set([10, 20])).map((one) => one.pid)).toEqual([10, 11, 12]);
  expect(treeOf(lines, 20, new Set([10, 20])).map((one) => one.pid)).toEqual([20, 21]);
  expect(treeOf(lines, 99, new Set([99]))).toEqual([]);
});

test("residentTogether counts shared pages once", () => {
  expect(residentTogether([])).toBe(0);
  expect(
    residentTogether([
      { hwm: 0, anon: 10, file: 5, shmem: 100 },
      { hwm: 0, anon: 20, file: 7, shmem: 60 },
    ]),
  ).toBe(137);
});
