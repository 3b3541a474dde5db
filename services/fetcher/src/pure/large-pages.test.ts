import { expect, test } from "@jest/globals";
import type { PageResult } from "@web-tester/loader/page-result";
import { pauseAfter } from "./large-pages.js";

const MiB = 1024 * 1024;
const about = { mode: "http" as const, finalUrl: "", redirects: [], headers: {}, bytesOnWire: 0 };
const timings = { totalMs: 0, firstByteMs: null };
const page = (bytes: number): PageResult => ({
  ...about,
  timings,
  kind: "page",
  status: 200,
  body: Buffer.alloc(bytes),
  contentType: null,
  charset: "utf-8",
  warning: null,
});
const failed = (code: "too_large" | "timed_out"): PageResult => ({
  ...about,
  timings,
  kind: "failed",
  code,
  message: "",
  retryable: false,
  status: null,
  retryAfterMs: null,
});

test.each([
  ["an ordinary page", page(80_000), 0],
  ["a page of just one MiB", page(MiB), 0],
  ["a long page", page(3 * MiB), 200],
  ["the longest page", page(10 * MiB), 900],
  ["one that was too large", failed("too_large"), 900],
  ["one that never came", failed("timed_out"), 0],
])("after %s", (_, result, ms) => {
  expect(pauseAfter(result)).toBe(ms);
});
