import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listTexts } from "./list-texts.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** This file is not checked, as it names missing decisions on purpose. */
const ownPath = "tests/docs/decisions.test.ts";
/** A reference to a decision, by its file or by its number alone. */
const citation = /\bdecisions?[ /](\d{3})(-[\w-]+\.md)?/g;

/** @returns the errors in the numbering of a checkout's decisions, and in the references to them; empty if there are none */
function problemsOf(checkout: string): string[] {
  const names = readdirSync(join(checkout, "docs/decisions")).toSorted();
  const numbering = names.flatMap((name, at) => {
    const wanted = String(at + 1).padStart(3, "0");
    const title = readFileSync(join(checkout, "docs/decisions", name), "utf8").split("\n", 1)[0] ?? "";
    if (!new RegExp(`^${wanted}-[a-z0-9-]+\\.md$`).test(name)) return [`${name} is number ${wanted}`];
    return title.startsWith(`# ${wanted}: `) ? [] : [`${name} is headed “${title}”`];
  });
  const numbers = new Set(names.map((name) => name.slice(0, 3)));
  const texts = listTexts(checkout).filter((path) => path !== ownPath);
  const citing = texts.flatMap((path) =>
    [...readFileSync(join(checkout, path), "utf8").matchAll(citation)]
      .filter(([, number = "", name]) => (name === undefined ? !numbers.has(number) : !names.includes(number + name)))
      .map(([cited]) => `${path} names “${cited}”`),
  );
  return [...numbering, ...citing];
}

test("decisions are numbered from 001 without a gap, and every text that names one names one that is there", () => {
  expect(problemsOf(root)).toEqual([]);
});

describe("planted violations", () => {
  let checkout = "";
  const write = (path: string, text: string) => writeFileSync(join(checkout, path), text);

  beforeAll(() => {
    checkout = mkdtempSync(join(tmpdir(), "web-tester-decisions-"));
    mkdirSync(join(checkout, "docs/decisions"), { recursive: true });
    write("docs/decisions/001-first.md", "# 001: First\n");
    write("docs/decisions/003-after-a-gap.md", "# 003: After a gap\n");
    write("right.ts", "// see docs/decisions/001-first.md\n// decision 003\n");
    write("renamed.ts", "// see docs/decisions/001-other.md\n");
    write("gone.ts", "// decision 009\n");
  });
  afterAll(() => rmSync(checkout, { recursive: true }));

  test("a gap, a file of another name and a number that is gone are found, and nothing else", () => {
    expect(problemsOf(checkout)).toEqual([
      "003-after-a-gap.md is number 002",
      expect.stringMatching(/^gone\.ts names “.*009”$/),
      expect.stringMatching(/^renamed\.ts names “.*001-other\.md”$/),
    ]);
  });
});
