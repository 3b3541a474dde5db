import { expect, test } from "@jest/globals";
import { backlogOf } from "./backlog.js";

const of = (lane: string, counts: Record<string, number>) =>
  backlogOf(counts, 8).find((backlog) => backlog.lane === lane);

test("knows every lane, also where nothing waits", () => {
  expect(backlogOf({}, 8)).toEqual(
    ["crawl", "sitemap", "fetch-now", "fetch-bulk", "diff", "evaluate", "noise", "compare", "delete", "import"].map(
      (lane) => ({
        lane,
        messages: 0,
        workable: 0,
      }),
    ),
  );
});

test("sums partitions, and counts of each no more than one site may have in hand", () => {
  const counts = { "work.fetch.bulk.00": 500, "work.fetch.bulk.07": 3, "work.fetch.now.00": 1, "work.crawl.63": 9 };
  expect(of("fetch-bulk", counts)).toEqual({ lane: "fetch-bulk", messages: 503, workable: 11 });
  expect(of("fetch-now", counts)).toEqual({ lane: "fetch-now", messages: 1, workable: 1 });
  expect(of("crawl", counts)).toEqual({ lane: "crawl", messages: 9, workable: 8 });
});

test("bounds work that is not of one site by what its consumer hands out", () => {
  expect(of("diff", { "work.diff": 100 })).toEqual({ lane: "diff", messages: 100, workable: 16 });
});
