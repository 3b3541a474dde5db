import { describe, expect, test } from "@jest/globals";
import type { FailedLoad, NotModified, PageResult } from "@web-tester/loader/page-result";
import { crashed, classify } from "./classify.js";

const trace = {
  mode: "http" as const,
  finalUrl: "https://a.example/",
  redirects: [],
  headers: {},
  timings: { totalMs: 1, firstByteMs: 1 },
  bytesOnWire: 0,
};
const failed = (change: Partial<FailedLoad>): FailedLoad => ({
  ...trace,
  kind: "failed",
  code: "connection_failed",
  message: "The server is away.",
  retryable: true,
  status: null,
  retryAfterMs: null,
  ...change,
});
const loaded = (page: PageResult) => ({ page, autoMode: null, isTested: false });
const notModified: NotModified = { ...trace, kind: "not-modified", status: 304, headers: { etag: '"v1"' } };
const asked = {
  hash: "aa",
  size: 10,
  keyframe: "aa",
  charset: "utf-8",
  filesId: null,
  filesHash: null,
  headers: { "content-type": "text/html" },
  finalUrl: "https://a.example/",
  redirected: false,
  askedAs: "x",
  scripts: null,
  wholeIsDue: false,
};

describe("what may pass is tried again", () => {
  test("with delays that grow and differ", () => {
    const delays = (failures: number) =>
      Array.from({ length: 50 }, () => {
        const verdict = classify(loaded(failed({})), failures, 1, null);
        if (verdict.kind !== "later") throw new Error("not tried again");
        return verdict.delayMs;
      });
    const [first, second] = [delays(0), delays(1)];
    expect(Math.min(...first)).toBeGreaterThanOrEqual(750);
    expect(Math.max(...first)).toBeLessThanOrEqual(1_250);
    expect(Math.min(...second)).toBeGreaterThanOrEqual(3_000);
    expect(Math.max(...second)).toBeLessThanOrEqual(5_000);
    expect(new Set(first).size).toBeGreaterThan(10);
  });

  test.each([
    [5_000, 5_000],
    [600_000, 120_000],
  ])("not before the server wants it: Retry-After of %i ms", (retryAfterMs, delayMs) => {
    expect(classify(loaded(failed({ status: 429, retryAfterMs })), 0, 1, null)).toMatchObject({
      kind: "later",
      delayMs,
    });
  });

  test("three times in all, and then it is the result, with the number of tries", () => {
    expect(classify(loaded(failed({})), 1, 1, null).kind).toBe("later");
    expect(classify(loaded(failed({})), 2, 1, null)).toMatchObject({
      kind: "failed",
      code: "connection_failed",
      message: "The server is away. Tried 3 times.",
    });
  });

  test("not what will not pass", () => {
    expect(classify(loaded(failed({ retryable: false, status: 404 })), 0, 1, null)).toMatchObject({
      kind: "failed",
      message: "The server is away.",
    });
  });
});

describe("304", () => {
  test("shares the content asked about, with renewed headers", () => {
    expect(classify(loaded(notModified), 0, 7, asked)).toEqual({
      kind: "unchanged",
      previous: asked,
      page: {
        status: 304,
        finalUrl: "https://a.example/",
        headers: { "content-type": "text/html", etag: '"v1"' },
        redirects: [],
        durationMs: 7,
        mode: "http",
        autoMode: null,
        autoTested: false,
      },
    });
  });

  test("is refused where nothing was asked", () => {
    expect(classify(loaded(notModified), 0, 7, null)).toMatchObject({ kind: "failed", code: "protocol_error" });
  });
});

test("a page that ended its fetcher six times is given up, and not before", () => {
  expect(crashed(6)).toBeNull();
  expect(crashed(7)).toMatchObject({ kind: "failed", code: "worker_crashed" });
});
