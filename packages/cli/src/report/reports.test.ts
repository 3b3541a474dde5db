import { expect, test } from "@jest/globals";
import { textOfFindings } from "./reports.js";

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
  // and is read all the same
  for (const words of ["add-mask", "task.setvariable variable=a", "stop-commands", "teamcity"])
    expect(text).toContain(words);
  expect(textOfFindings([finding("/a", "+ ## Title [1] a::b")])).toContain("+ ## Title [1] a::b");
});
