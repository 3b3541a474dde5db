import { expect, test } from "@jest/globals";
import { changedFacts, type SnapshotFacts } from "./changed-facts.js";

const plain: SnapshotFacts = { status: 200, redirectedTo: null, contentType: "text/html", csp: null, xRobotsTag: null };

test("tells what two snapshots say differently", () => {
  const after = {
    ...plain,
    status: 203,
    redirectedTo: "https://site.test/new",
    contentType: "application/xhtml+xml",
    csp: "default-src 'self'",
    xRobotsTag: ["noindex", "nofollow"],
  };
  expect(changedFacts(plain, after, null)).toEqual([
    { fact: "status", before: "200", after: "203" },
    { fact: "redirect", before: null, after: "https://site.test/new" },
    { fact: "content_type", before: "text/html", after: "application/xhtml+xml" },
    { fact: "csp", before: null, after: "default-src 'self'" },
    { fact: "x_robots_tag", before: null, after: "noindex, nofollow" },
  ]);
});

test("heads say title, canonical address and what robots may do", () => {
  const head = { title: "One", canonical: "/one", robots: null };
  expect(changedFacts(plain, plain, [head, { title: "Two", canonical: "/one", robots: "noindex" }])).toEqual([
    { fact: "title", before: "One", after: "Two" },
    { fact: "robots", before: null, after: "noindex" },
  ]);
});

test.each<[string, Partial<SnapshotFacts>, Partial<SnapshotFacts>]>([
  ["that nothing was modified", { status: 200 }, { status: 304 }],
  ["that something was, after nothing was", { status: 304 }, { status: 200 }],
  ["a nonce", { csp: "script-src 'nonce-abc123'" }, { csp: "script-src 'nonce-xyz789'" }],
  ["how a type is written", { contentType: 'text/html;charset="UTF-8"' }, { contentType: "text/html; charset=utf-8" }],
  ["a fragment", { redirectedTo: "https://site.test/#a" }, { redirectedTo: "https://site.test/#b" }],
  ["white space around a header", { xRobotsTag: " noindex" }, { xRobotsTag: "noindex " }],
])("%s is no change", (_name, before, after) => {
  expect(changedFacts({ ...plain, ...before }, { ...plain, ...after }, null)).toEqual([]);
});

test("long values are cut", () => {
  const [fact] = changedFacts(plain, { ...plain, csp: "x".repeat(100_000) }, null);
  expect(fact?.after).toHaveLength(2_001);
});
