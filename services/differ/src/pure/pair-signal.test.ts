import { expect, test } from "@jest/globals";
import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import { withBeside } from "./pair-signal.js";

const none = { significant: false, changes: 0, ignored: 0, hunks: [] };
const file = (url: string): ChangedFile => ({
  ...{ change: "changed", url, before_url: null, kind: "stylesheet", before: "a", after: "b" },
});
const look = (files: readonly ChangedFile[], rules: readonly AppliedRule[] = []) =>
  withBeside(none, { path: "/", rules, files, facts: [] });
const rule: AppliedRule = {
  ...{ id: "r", path: "*", note: "", kind: "file", pattern: "*/site.css*", syntax: "literal" },
  ...{ selector: null, name: null, parameter: null, before: null, after: null },
};

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
    withBeside({ ...none, hunks: hunks as never }, { path: "/", rules: [], files: [], facts }).hunks.length;
  expect([told([]), told([{}])]).toEqual([1, 1]);
});
