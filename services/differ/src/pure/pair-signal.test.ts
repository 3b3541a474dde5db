import { describe, expect, test } from "@jest/globals";
import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import { toldKind } from "@web-tester/signal/compare/fingerprint";
import { type Asked, signalOf, untoldHead, withBeside } from "./pair-signal.js";

const none = { significant: false, changes: 0, ignored: 0, hunks: [], head: untoldHead };
const file = (url: string): ChangedFile => ({
  ...{ change: "changed", url, before_url: null, kind: "stylesheet", before: "a", after: "b" },
});
const look = (files: readonly ChangedFile[], rules: readonly AppliedRule[] = []) =>
  withBeside(none, { path: "/", rules, files, facts: [] });
const rule: AppliedRule = {
  ...{ id: "r", path: "*", note: "", kind: "file", pattern: "*/site.css*", syntax: "literal" },
  ...{ selector: null, name: null, parameter: null, before: null, after: null },
};

test("white space alone is changed, and nothing of it ignored, where no rule says so", () => {
  const pair = ["<p>a</p>", "<p>a</p>\n"].map((text) => ({ bytes: Buffer.from(text), charset: "utf-8" }));
  const [older = { bytes: Buffer.of(), charset: "" }, newer = older] = pair;
  const seen = (asked: Omit<Asked, "path">) => signalOf([older, newer], { ...asked, path: "/" });
  expect(seen({ rules: [] })).toMatchObject({ significant: true, changes: 0, ignored: 0 });
  expect(seen({ rules: [], form: "text" })).toMatchObject({ significant: false, changes: 0, ignored: 1 });
  const all: AppliedRule = { ...rule, kind: "text", pattern: "a" };
  expect(seen({ rules: [all] })).toMatchObject({ significant: false, changes: 0, ignored: 1 });
});

test.each([
  ["٣ زائر", "٤ زائر", "٧٨ زائر", "٩١ زائر"],
  ["३ दर्शक", "४ दर्शक", "७८ दर्शक", "९१ दर्शक"],
  ["3 visitors", "4 visitors", "78 visitors", "91 visitors"],
])("a number that counts on is one kind of change in every script: %s", (...texts) => {
  const [a, b, c, d, words] = [...texts, "none"].map((text) => ({
    bytes: Buffer.from(`<p>${text}</p>\n`),
    charset: "utf-8",
  }));
  const kindOf = (older: typeof a, newer: typeof a) =>
    older && newer ? signalOf([older, newer], { rules: [], path: "/" }).hunks[0] : undefined;
  const [one, other, third] = [kindOf(a, b), kindOf(c, d), kindOf(a, words)];
  expect(one?.fingerprint).toBe(other?.fingerprint);
  expect(one?.leftOut).not.toBe(other?.leftOut);
  expect(third?.fingerprint).not.toBe(one?.fingerprint);
});

test("a file is a kind of change, the same one whatever version its address names", () => {
  const [one, other, third] = ["site.css?v=12", "site.css?v=13", "other.css?v=13"].map(
    (name) => look([file(`https://site.test/${name}`)]).hunks[0],
  );
  expect(one).toMatchObject({ kind: "file", removed: "", added: "https://site.test/site.css?v=12" });
  expect(other?.fingerprint).toBe(one?.fingerprint);
  expect(third?.fingerprint).not.toBe(one?.fingerprint);
});

test("an ignored file is none, and of very many those behind the first are one", () => {
  expect(look([file("https://site.test/site.css")], [rule])).toMatchObject({
    significant: false,
    ignored: 1,
    hunks: [],
  });
  const many = look(Array.from({ length: 300 }, (_, index) => file(`https://site.test/${index}.css`)));
  expect(many).toMatchObject({ significant: true, changes: 300 });
  expect(many.hunks).toHaveLength(21);
});

test("a title that changed is told with the content, and alone where the content says nothing", () => {
  const facts = [{ fact: "title" as const, before: "One", after: "Two" }];
  const told = (hunks: typeof none.hunks | [object]) =>
    withBeside(
      { ...none, hunks: hunks as never, head: { inHunks: ["title"], ignored: [] } },
      { path: "/", rules: [], files: [], facts },
    ).hunks.length;
  expect([told([]), told([{}])]).toEqual([1, 1]);
});

test.each([
  ["redirect", "https://site.test/offer/1", "https://site.test/offer/2", "https://site.test/offer/3", true],
  [
    "content_type",
    "text/html; charset=iso-8859-1",
    "text/html; charset=iso-8859-2",
    "text/html; charset=iso-8859-15",
    true,
  ],
  [
    "redirect",
    "https://site.test/9e107d9d372bb682",
    "https://site.test/e4d909c290d0fb1c",
    "https://site.test/ab56b4d92b40713a",
    false,
  ],
  ["csp", "script-src 'sha256-a1'", "script-src 'sha256-b2'", "script-src 'sha256-b3'", false],
] as const)("%s: the numbers of %s, %s and %s are told beside its kind: %s", (fact, before, one, other, isTold) => {
  const [first, second] = [one, other].map(
    (after) => withBeside(none, { path: "/", rules: [], files: [], facts: [{ fact, before, after }] }).hunks[0],
  );
  expect(first?.fingerprint).toBe(second?.fingerprint);
  expect(first?.leftOut !== second?.leftOut).toBe(isTold);
});

describe("what a head says is a kind of change of its own", () => {
  const page = (robots: string, words: string) => ({
    bytes: Buffer.from(
      `<head><title>T</title><meta name=robots content="${robots}"></head><body><main>${words}</main></body>`,
    ),
    charset: "utf-8",
  });
  const pair = [page("all", "old"), page("noindex", "new")] as const;
  const facts = [{ fact: "robots" as const, before: "all", after: "noindex" }];
  const kindsOf = (asked: Omit<Asked, "path">) =>
    withBeside(signalOf(pair, { ...asked, path: "/" }), { ...asked, path: "/", files: [], facts }).hunks.map(
      ({ kind }) => kind,
    );
  const keep: AppliedRule = { ...rule, kind: "keep", pattern: null, selector: "main" };

  test("where rules leave the head out", () => {
    expect(kindsOf({ rules: [keep] })).toEqual(["content", "header"]);
  });
  test("where only what readers get is looked at", () => {
    expect(kindsOf({ rules: [], form: "text" })).toEqual(["content", "header"]);
  });
  test("and is ignored where a rule names it, though another one keeps a part of the page", () => {
    const named: AppliedRule = { ...keep, kind: "attribute", selector: "meta", name: "content" };
    const under = (...rules: AppliedRule[]) =>
      withBeside(signalOf(pair, { rules, path: "/" }), { rules, path: "/", files: [], facts });
    for (const rules of [[named], [named, keep]])
      expect(under(...rules)).toMatchObject({ changes: 1, hunks: [{ kind: "content" }] });
    expect(under(keep)).toMatchObject({ changes: 2 });
  });
  test("and none where the content tells it", () => {
    expect(kindsOf({ rules: [] })).toEqual(["content", "content"]);
    expect(kindsOf({ rules: [{ ...keep, selector: "head, main" }] })).toEqual(["content", "content"]);
  });
});

test("what scripts make of pages that were loaded in another way than before is one change on all of them", () => {
  const pairOf = (words: string) =>
    [`<h1>${words}</h1><p>a</p>`, `<h1>${words}<a>#</a></h1><div>drawn</div><p>a ${words}</p>`].map((text) => ({
      bytes: Buffer.from(text),
      charset: "utf-8",
    }));
  const told = (words: string, isOtherMode: boolean) => {
    const [older = { bytes: Buffer.of(), charset: "" }, newer = older] = pairOf(words);
    const beside = { path: "/", rules: [], files: [file("https://site.test/drawn.svg")], facts: [], isOtherMode };
    return withBeside(signalOf([older, newer], { rules: [], path: "/" }), beside);
  };
  const [one, other] = [told("One", true), told("Other", true)];
  expect(one.hunks).toHaveLength(1);
  expect(one.hunks.map(({ fingerprint, kind }) => toldKind(fingerprint, kind))).toEqual(["mode"]);
  expect(one).toMatchObject({ significant: true, changes: told("One", false).changes });
  expect(other.hunks[0]?.fingerprint).toBe(one.hunks[0]?.fingerprint);
  expect(other.hunks[0]?.leftOut).not.toBe(one.hunks[0]?.leftOut);
  // no script changes the status
  const status = { fact: "status" as const, before: "200", after: "503" };
  const title = { fact: "title" as const, before: "a", after: "b" };
  const beside = withBeside(
    { ...none, hunks: one.hunks },
    { path: "/", rules: [], files: [], facts: [title, status], isOtherMode: true },
  );
  expect(beside.hunks.map(({ fingerprint, kind }) => toldKind(fingerprint, kind))).toEqual(["mode", "status"]);
  const apart = told("One", false).hunks.map(({ fingerprint, kind }) => toldKind(fingerprint, kind));
  expect(apart.length).toBeGreaterThan(1);
  expect(apart).not.toContain("mode");
});
