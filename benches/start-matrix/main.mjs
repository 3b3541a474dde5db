// @ts-check
// Tries the two commands under every circumstance: root, closed folders, odd paths, other Nodes, containers.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readWords } from "../lib/read-words.mjs";
import { benchSignal } from "../lib/stack.mjs";
import { cells } from "./cells.mjs";

const timeoutMs = 60 * 60_000;

const usage = `npm run bench -- start-matrix [all-tests] [word …]

In each circumstance, or in those whose name has one of the words, it copies this checkout, really runs npm start, fetches the sample site, stops, starts
again and looks for the data, and runs a few tests that start stacks (with all-tests: all of tests/local). As root it can do all of them; what this machine
cannot do is skipped, with the reason. Takes Linux. Circumstances: ${cells.map(({ name }) => name).join(", ")}.`;
const allTestsWord = "all-tests";

async function main() {
  const given = readWords(usage, (all) =>
    all.every((word) => word === allTestsWord || cells.some(({ name }) => name.includes(word))),
  );
  const words = given.filter((word) => word !== allTestsWord);
  const allTests = given.includes(allTestsWord);
  const signal = benchSignal(timeoutMs);
  const chosen = cells.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  /** @type {{ name: string, start: string, again: string, tests: string, note: string }[]} */
  const rows = [];
  for (const cell of chosen) {
    signal.throwIfAborted();
    console.log(`── ${cell.name} ──`);
    const row = { name: cell.name, start: "", again: "", tests: "", note: "" };
    rows.push(row);
    const reason = await cell.skip();
    if (reason !== undefined) {
      Object.assign(row, { start: "skipped", note: reason });
      continue;
    }
    const room = await mkdtemp(join(cell.below?.() ?? tmpdir(), "web-tester-matrix-"));
    await chmod(room, cell.below === undefined ? 0o755 : 0o700);
    try {
      Object.assign(row, await cell.run({ room, allTests, signal, log: (line) => console.log(`   ${line}`) }));
    } catch (error) {
      row.note = `FAILED: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      await rm(room, { recursive: true, force: true });
    }
    console.log(`   ${row.start || "no start"} · ${row.again || "not again"} · ${row.tests || "no tests"} ${row.note}`);
  }
  console.log(
    "\n| circumstance | start, sample fetched | started again, data found | tests | note |\n|---|---|---|---|---|",
  );
  for (const { name, start, again, tests, note } of rows)
    console.log(`| ${name} | ${start} | ${again} | ${tests} | ${note.replaceAll("\n", " ")} |`);
  if (rows.some(({ note, tests }) => note.startsWith("FAILED") || /, [1-9]\d* failed/.test(tests)))
    process.exitCode = 1;
}

await main();
