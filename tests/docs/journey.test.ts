import { expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));

/** @returns the errors of the journey's steps: those that link no existing file, or one that does not declare the function they name */
function problemsOf(text: string): string[] {
  const [, journey = ""] = text.split(/^## The journey of a snapshot$/m);
  const [section = ""] = journey.split(/^## /m);
  const steps = [...section.matchAll(/^\d+\. (.*)$/gm)].map(([, step = ""]) => step);
  if (steps.length === 0) return ["there is no journey"];
  return steps.flatMap((step) => {
    const [, name = "", path = ""] = /: \[(\w+)\]\((\S+?)\)\.$/.exec(step) ?? [];
    if (name === "") return [`“${step}” names no function`];
    if (!existsSync(join(docs, path))) return [`${path} is not there`];
    return holds(readFileSync(join(docs, path), "utf8"), name) ? [] : [`${path} has no ${name}`];
  });
}

/** Whether the source declares a function, a class or a method of this name; calls do not count. */
function holds(source: string, name: string): boolean {
  const declared = new RegExp(`\\b(?:function\\*?|class|const) ${name}\\b`);
  const method = new RegExp(`^\\s+(?:private |async )*${name}\\([^;]*\\{$`, "m");
  return declared.test(source) || method.test(source);
}

test("each step of the journey leads to the function that it names", () => {
  expect(problemsOf(readFileSync(join(docs, "architecture.md"), "utf8"))).toEqual([]);
});

test("a file that moved, a function that is only called there, a step without a link and a missing journey are found", () => {
  const file = "../services/gateway/src/runs/start-run.ts";
  const steps = [
    `1. Right: [lockForStart](${file}).`,
    "2. Moved: [lockForStart](../services/gateway/src/runs/moved.ts).",
    `3. Only called: [requireObject](${file}).`,
    "4. Says nothing.",
  ];
  expect(problemsOf(`## The journey of a snapshot\n\n${steps.join("\n")}\n\n## Parts\n`)).toEqual([
    "../services/gateway/src/runs/moved.ts is not there",
    `${file} has no requireObject`,
    "“Says nothing.” names no function",
  ]);
  expect(problemsOf("## Parts\n")).toEqual(["there is no journey"]);
});
