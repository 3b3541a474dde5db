import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import type { Loader, PageResult } from "@web-tester/loader/page-result";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import type { Database } from "@web-tester/platform/database/database";
import { createRobotsStore } from "./robots-store.js";

const origin = "https://site.test";
const access = {
  ownOrigin: origin,
  robotsAs: "",
  isFree: false,
  consent: consentFor(new URL(origin)),
  authorization: null,
};
const trace = {
  mode: "http" as const,
  finalUrl: `${origin}/robots.txt`,
  redirects: [],
  headers: {},
  timings: { totalMs: 1, firstByteMs: 1 },
  bytesOnWire: 0,
};

/** A load that ended with a status; null: with the file. */
const answer = (status: number | null, retryAfterMs: number | null = null): PageResult =>
  status === null
    ? {
        kind: "page",
        status: 200,
        body: Buffer.from("User-agent: *\nDisallow: /b"),
        contentType: "text/plain",
        charset: null,
        warning: null,
        ...trace,
      }
    : {
        kind: "failed",
        code: "http_status",
        message: "No.",
        retryable: status >= 500,
        status,
        retryAfterMs,
        ...trace,
      };

test.each<[string, answers: (number | null)[], asked: number, allowed: boolean[], problem: RegExp | null]>([
  ["that is there is asked for once", [null], 1, [true, false], null],
  ["that does not exist is asked for once, and forbids nothing", [404], 1, [true, true], null],
  ["with one server fault is asked for again", [503, null], 2, [true, false], null],
  [
    "with server faults only is asked for three times, and then forbids everything for now",
    [503, 500, 503, null],
    3,
    [false, false],
    /in a minute/,
  ],
])("a robots.txt %s", async (_name, answers, asked, allowed, problem) => {
  let count = 0;
  const loader: Loader = { loadPage: async () => answer(answers[(count += 1) - 1] ?? null) };
  const db = { query: async () => [] } as unknown as Database;
  const rules = await createRobotsStore(db, loader, new AbortController().signal).rulesOf(origin, access);
  expect(count).toBe(asked);
  expect(["/a", "/b"].map((path) => rules.isAllowed(new URL(path, origin)))).toEqual(allowed);
  if (problem === null) expect(rules.problem).toBeNull();
  else expect(rules.problem).toMatch(problem);
});

test("a crawler that is stopping does not wait for a robots.txt", async () => {
  const stopping = new AbortController();
  let count = 0;
  const loader: Loader = {
    loadPage: async () => {
      count += 1;
      setTimeout(() => stopping.abort(), 50);
      return answer(503, 10_000);
    },
  };
  const db = { query: async () => [] } as unknown as Database;
  const rules = createRobotsStore(db, loader, stopping.signal).rulesOf(origin, access);
  const first = await Promise.race([rules.then(() => "the rules"), sleep(9_000, "the pause", { ref: false })]);
  expect(first).toBe("the rules");
  expect(count).toBeLessThanOrEqual(2);
}, 20_000);
