import { expect, test } from "@jest/globals";
import { cutOff } from "../check/cut-off.js";
import type { CheckResult, FailKind } from "../check/findings.js";
import { textOfFindings, toHtml, toJUnit, toJUnitError, toMarkdown, toMarkdownError, toText } from "./reports.js";

const finding = (title: string, details: string) => ({
  ...{ kind: "changed" as const, of: "content" as const, pages: 1, link: "", said: null, waits: true },
  ...{ title, details },
});

test("what pages say commands no terminal and no log of a pipeline", () => {
  const said = [
    "::add-mask::x",
    "##[add-mask]x",
    "###[stop-commands]x",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[buildStatus text='x']",
    "\u001b]52;c;x\u0007",
    "\u2028::error::x",
  ];
  const text = textOfFindings([finding(said.join(" "), said.map((line) => `+ ${line}`).join("\n"))]);
  expect(text).not.toMatch(/^\s*::|\s::|##\w*\[|[^\P{Cc}\n]|\u2028/mu);
  // and their words are still readable
  for (const words of ["add-mask", "task.setvariable variable=a", "stop-commands", "teamcity"])
    expect(text).toContain(words);
  expect(textOfFindings([finding("/a", "+ ## Title [1] a::b")])).toContain("+ ## Title [1] a::b");
});

const checked = (...failOn: FailKind[]): CheckResult => ({
  ...{ id: "1", object: { id: "2", name: "Shop", url: "http://shop.test/" }, against: "baseline" },
  ...{ review: "", run_id: "3", total: 9, unchanged: 8, findings: [finding("/a", "+ b")], fail_on: failOn },
  outcome: failOn.includes("changed") ? "differences" : "clean",
  cut_off: [],
});

test.each([toText, toMarkdown, toHtml, toJUnit])(
  "each report says that a crawl did not find all pages: %p",
  (format) => {
    const said = cutOff("Shop & Co", { ended_by: "pages" }) ?? "";
    expect(said).toMatch(/^The crawl of Shop & Co ended at its limit of pages, so pages may be missing\. Raise it /);
    expect(format({ ...checked(), cut_off: [said] })).toMatch(/ended at its limit of pages/);
    expect(format(checked())).not.toMatch(/ended at its limit/);
    expect(cutOff("Shop", { ended_by: null })).toBeNull();
  },
);

test("what a check does not fail for is no failure in any report", () => {
  const [red, green] = [checked("changed", "new"), checked("new")];
  expect([toJUnit(red), toJUnit(green)]).toEqual([
    expect.stringMatching(/failures="1"[^]*<failure /),
    expect.stringMatching(/failures="0"[^]*<testcase classname="changed" name="\/a"><\/testcase>/),
  ]);
  expect(toText(red)).toContain("1 finding to review.");
  expect(toText(green)).toContain("1 finding to review, none of which fails the check.");
  expect(toMarkdown(green)).toMatch(/^### ✅ .* none of which fails the check\./);
});

test("Markdown is short enough for the summary of a job, and what fails comes first in it", () => {
  const accepted = Array.from({ length: 5_000 }, (_, index) => ({
    ...finding(`/p${index}`, "é".repeat(400)),
    waits: false,
  }));
  const result = { ...checked("changed"), findings: [...accepted, finding("/last", "+ broken")] };
  const text = toMarkdown(result);
  expect(Buffer.byteLength(text)).toBeLessThan(2 ** 20);
  expect(text.indexOf("/last")).toBeLessThan(text.indexOf("/p0"));
  const shown = text.match(/\/p\d+/g)?.length ?? 0;
  expect(text).toContain(`And ${5_000 - shown} findings more.`);
  expect(toMarkdown(checked("changed"))).not.toContain("more.");
});

test("a check that could not run is an error of a pipeline, not the report of the time before", () => {
  const why = "Nothing answers at http://a.test.\n::error::<b>`x`";
  expect(toJUnitError("Hats & <co>", why)).toMatch(
    /tests="1" failures="0" errors="1">\n {2}<testcase classname="check" name="Hats &#38; &#60;co&#62;"><error message="Nothing answers [^"<]*"\/>/,
  );
  expect(toMarkdownError("Hats", why)).toBe(
    "### ❌ Hats could not be checked\n\n```text\nNothing answers at http://a.test.\n: :error::<b>'x'\n```\n",
  );
});
