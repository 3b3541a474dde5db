import { describe, expect, test } from "@jest/globals";
import { type Expectation, assessRhythm, assessSilence, type Rhythm } from "./assess-rhythm.js";

const start = Date.UTC(2026, 0, 1);
const learned: Expectation = { pages: undefined, seconds: undefined };
const fresh = (section = "/"): Rhythm => ({
  section,
  counts: [],
  gaps: [],
  changedAt: null,
  silent: false,
  seenAt: new Date(start),
});

/** What is reported about fetches, one every `hours` hours, that found these numbers of pages changed. */
function said(counts: readonly number[], expected = learned, hours = 1, section = "/"): string[] {
  let rhythm = fresh(section);
  return counts.flatMap((changed, index) => {
    const assessed = assessRhythm(rhythm, changed, new Date(start + (index + 1) * hours * 3_600_000), expected);
    rhythm = assessed.next;
    return [assessed.unusual, assessed.silent].flatMap((words) => (words === null ? [] : [`${index}: ${words}`]));
  });
}

describe("more than usual", () => {
  test.each<[string, number[], string[]]>([
    ["nothing is usual before five fetches", [0, 0, 0, 0, 50], []],
    ["five pages are few anywhere", [0, 0, 0, 0, 0, 5], []],
    ["where nothing changes", [0, 0, 0, 0, 0, 6], ["5: More changes than usual: 6 pages changed, usually none"]],
    ["twice as many is nothing yet", [10, 8, 9, 10, 7, 20], []],
    ["more than that is", [10, 8, 9, 10, 7, 21], ["5: More changes than usual: 21 pages changed, usually at most 10"]],
    [
      "one release does not make the next one usual, from ten fetches on",
      [1, 0, 2, 1, 0, 40, 0, 1, 0, 0, 40],
      [
        "5: More changes than usual: 40 pages changed, usually at most 2",
        "10: More changes than usual: 40 pages changed, usually at most 2",
      ],
    ],
  ])("%s", (_, counts, words) => expect(said(counts)).toEqual(words));

  test("a budget holds from the first fetch on, and `off` says nothing", () => {
    expect(said([3, 2], { pages: 2, seconds: undefined }, 1, "/shop/")).toEqual([
      "0: Over the change budget under /shop/: 3 pages changed, the budget is 2",
    ]);
    expect(said([0, 0, 0, 0, 0, 600], { pages: null, seconds: undefined })).toEqual([]);
  });
});

describe("silence", () => {
  const every = (days: number, times: number) =>
    Array.from({ length: days * times }, (_, i) => (i % days === 0 ? 1 : 0));

  test("is told once, and again only after a change", () => {
    const daily = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, ...Array.from({ length: 12 }, () => 0)];
    expect(said(daily, learned, 24)).toEqual([
      "8: Nothing changed for 3 d; the longest pause before was 1 d",
      // the silence of five days is part of the known rhythm now
      "21: Nothing changed for 11 d; the longest pause before was 5 d",
    ]);
  });

  test("nothing is said of what changes seldom, or was not seen often enough", () => {
    expect(said(every(7, 8), learned, 24)).toEqual([]);
    expect(said([1, 0, 1, 0, 1, ...Array.from({ length: 60 }, () => 0)], learned, 24)).toEqual([]);
  });

  test("a day is the least that is learned", () => {
    expect(said([1, 1, 1, 1, 1, 1, ...Array.from({ length: 23 }, () => 0)])).toEqual([]);
    expect(said([1, 1, 1, 1, 1, 1, ...Array.from({ length: 26 }, () => 0)])).toEqual([
      "30: Nothing changed for 1 d 1 h; the longest pause before was 1 h",
    ]);
  });

  test("a time that somebody has set holds from the beginning, and `off` says nothing", () => {
    const hours: Expectation = { pages: undefined, seconds: 3 * 3_600 };
    expect(said([0, 0, 0, 0, 0, 0], hours, 1, "/news/")).toEqual(["3: Nothing changed under /news/ for 4 h"]);
    expect(said([0, 0, 0, 0, 0, 0], { pages: undefined, seconds: null })).toEqual([]);
  });

  test("is found between fetches too, and says when the last one was", () => {
    const at = (days: number) => new Date(start + days * 24 * 3_600_000);
    const daily: Rhythm = { ...fresh(), gaps: [1, 1, 1, 1, 2].map((days) => days * 86_400), changedAt: at(10) };
    const lookedAt = at(11);
    expect(assessSilence(daily, at(14), lookedAt, learned)).toBeNull();
    expect(assessSilence(daily, at(15), lookedAt, learned)).toBe(
      "Nothing changed for 5 d; the longest pause before was 2 d; the last fetch ended 4 d ago",
    );
    expect(assessSilence({ ...daily, silent: true }, at(15), lookedAt, learned)).toBeNull();
    expect(assessSilence(daily, at(15), lookedAt, { pages: undefined, seconds: null })).toBeNull();
  });
});

test("what is kept does not grow with the history", () => {
  let rhythm = fresh();
  for (let fetch = 1; fetch <= 500; fetch++)
    ({ next: rhythm } = assessRhythm(rhythm, fetch % 3, new Date(start + fetch * 60_000), learned));
  expect([rhythm.counts.length, rhythm.gaps.length]).toEqual([20, 20]);
});
