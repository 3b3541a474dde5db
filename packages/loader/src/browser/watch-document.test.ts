import { runInNewContext } from "node:vm";
import { expect, test } from "@jest/globals";
import { textsOfRules } from "./watch-document.js";

/** Runs the code as in a page's isolated world. */
const textsOf = (texts: string[]): unknown =>
  JSON.parse(String(runInNewContext(`JSON.stringify((${textsOfRules})(texts))`, { texts })));
const property = /--text\w+/.exec(textsOfRules)?.[0] ?? "";
const bare = (...more: string[]) => [".a { padding-top: ; padding-left: 1px;", ...more, "}"].join(" ");
const marked = (of: string, length: number, text: string) => bare(`${property}: "${of}${length} ${text}";`);
const written = ".a{padding:var(--x);padding-left:1px}";
const { length } = bare();

test.each<[what: string, texts: string[], found: string[]]>([
  ["of a rule", [".b { }", marked("rule", length, encodeURIComponent(written))], [".b { }", written]],
  ["of a sheet", [marked("sheet", length + 6, encodeURIComponent(written)), ".b { }"], [written]],
  ["not of one that was changed", [marked("rule", length + 9, encodeURIComponent(written))], [bare()]],
  ["not of a sheet that grew", [marked("sheet", length, encodeURIComponent(written)), ".b { }"], [bare(), ".b { }"]],
  ["not what nobody can read", [marked("rule", length, "%E0%A4%A")], [bare()]],
])("the text that was kept counts: %s", (_what, texts, found) => {
  expect(textsOf(texts)).toEqual(found);
});
