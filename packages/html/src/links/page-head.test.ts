import { expect, test } from "@jest/globals";
import { differingHeads } from "./page-head.js";

const page = (head: string, body = "<p>text</p>") =>
  Buffer.from(`<!doctype html><html><head>${head}</head><body>${body}`);

test("says what the heads of two pages say where they differ", () => {
  const older = page("<title>One &amp; only</title><link rel=canonical href=/a>");
  const newer = page("<title>Two</title><link rel=canonical href=/a><meta name=robots content='noindex, nofollow'>");
  expect(differingHeads(older, newer)).toEqual([
    { title: "One & only", canonical: "/a", robots: null },
    { title: "Two", canonical: "/a", robots: "noindex, nofollow" },
  ]);
});

test("looks no further where the heads are the same bytes", () => {
  expect(differingHeads(page("<title>Same</title>", "one"), page("<title>Same</title>", "other"))).toBeNull();
});

test("a page without a head is read up to its body, or as far as heads reach", () => {
  const older = Buffer.from("<title>Old</title><BODY>x");
  expect(differingHeads(older, Buffer.from(`<title>New</title>${"x".repeat(400_000)}`))).toEqual([
    { title: "Old", canonical: null, robots: null },
    { title: "New", canonical: null, robots: null },
  ]);
});

test("reads a view into a larger buffer", () => {
  const both = Buffer.concat([page("<title>A</title>"), page("<title>B</title>")]);
  const half = both.length / 2;
  expect(differingHeads(both.subarray(0, half), both.subarray(half))?.map(({ title }) => title)).toEqual(["A", "B"]);
});
