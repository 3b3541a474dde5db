// @ts-check
/**
 * Command: builds, checks and runs all tests, or with arguments only the tests that these name to jest. The last line counts them: `N passed, N failed` (and
 * `, N skipped`). Needs Node 24.
 */
import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { cache, root } from "./bootstrap/project.mjs";
import { runChecks } from "./checks.mjs";
import { endingSignal } from "./ending.mjs";
import { ensureBuilt } from "./ensure-built.mjs";
import { StartError } from "./stack/start-error.mjs";
import { openTestFolder } from "./test-folder.mjs";

const unitWithinMs = 900_000;
const integrationWithinMs = 3_000_000;

const args = process.argv.slice(2);
const signal = endingSignal();
const folder = openTestFolder();
const count = { passed: 0, failed: 0, skipped: 0 };

try {
  await ensureBuilt(say);
  await unpackBrowser();
  if (args.length === 0) add(await runChecks({ say, signal }));
  add(await jest("unit", ["unit", "unit-gateway"], ["--maxWorkers=2", "--testTimeout=20000"], unitWithinMs));
  // They start whole stacks and kill parts of them: one at a time, with patience on a busy machine; what a failed one leaves open must not
  // keep us waiting.
  add(
    await jest(
      "integration",
      ["integration"],
      ["--runInBand", "--testTimeout=180000", "--forceExit"],
      integrationWithinMs,
    ),
  );
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  say(error.message);
  count.failed += 1;
} finally {
  folder.remove();
}
if (signal.aborted) say("Stopped before the end.");
say(`${count.passed} passed, ${count.failed} failed${count.skipped === 0 ? "" : `, ${count.skipped} skipped`}`);
process.exit(count.failed === 0 && count.passed > 0 && !signal.aborted ? 0 : 1);

/** What npm brought is unpacked by a program that is built, which tests of sources have not beside them. A browser that is missing they name themselves. */
async function unpackBrowser() {
  const { findChromium } = await import("@web-tester/loader/browser/find-chromium");
  await findChromium(process.env["CHROMIUM_PATH"]).catch(() => undefined);
}

/**
 * @param {string} name
 * @param {string[]} projects of jest.config.mjs
 * @param {string[]} options
 * @param {number} timeoutMs
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>} a file that cannot be run counts as one failed test
 */
async function jest(name, projects, options, timeoutMs) {
  const none = { passed: 0, failed: 0, skipped: 0 };
  if (signal.aborted) return none;
  say(`\n── ${name} tests ──`);
  const report = join(folder.path, `${name}.json`);
  const program = createRequire(join(root, "package.json")).resolve("jest/bin/jest");
  // `--selectProjects` takes every word that follows, so it comes last.
  const all = [
    program,
    ...args,
    ...options,
    "--passWithNoTests",
    `--cacheDirectory=${jestCache()}`,
    "--json",
    `--outputFile=${report}`,
    "--selectProjects",
    ...projects,
  ];
  const how = await new Promise((resolve) => {
    const env = {
      ...process.env,
      TMPDIR: folder.path,
      NODE_OPTIONS:
        `${process.env["NODE_OPTIONS"] ?? ""} --experimental-vm-modules --disable-warning=ExperimentalWarning`.trim(),
    };
    // Its results go to the file; what it shows goes to stderr.
    const child = spawn(process.execPath, all, {
      cwd: root,
      env,
      stdio: ["ignore", "ignore", "inherit"],
      signal,
      timeout: timeoutMs,
      killSignal: "SIGTERM",
    });
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, killedBy) =>
      resolve(killedBy === null ? code : `killed by ${killedBy} (its limit is ${timeoutMs / 1000} s)`),
    );
  });
  const counts = countIn(report);
  if (how === 0 && counts !== undefined) return counts;
  if (counts !== undefined && counts.failed > 0) return counts;
  say(`The ${name} tests did not end well: ${typeof how === "number" ? `exit code ${how}` : how}`);
  return { ...(counts ?? none), failed: 1 };
}

/** What jest made of the sources stays for the next time, where no other user can put something else in its place. */
function jestCache() {
  const kept = join(cache, `jest-${process.getuid?.() ?? 0}`);
  try {
    mkdirSync(kept, { recursive: true });
    accessSync(kept, constants.W_OK);
    return kept;
  } catch {
    return join(folder.path, "jest");
  }
}

/** Says which tests were skipped; what they lack stands in their titles, as in `… (needs CONFORMANCE_DATA)`. */
/** @param {string} report */
function countIn(report) {
  try {
    const { testResults, numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } =
      JSON.parse(readFileSync(report, "utf8"));
    // with a pattern of titles (`-t`) all others are skipped, as asked
    if (!args.some((arg) => /^(-t|--testNamePattern)/.test(arg)))
      for (const { name, assertionResults } of testResults)
        for (const { status, fullName } of assertionResults)
          if (status === "pending" || status === "todo") say(`Skipped: ${relative(root, name)}: ${fullName}`);
    return {
      passed: numPassedTests,
      failed: numFailedTests + numRuntimeErrorTestSuites,
      skipped: numPendingTests + numTodoTests,
    };
  } catch {
    return undefined;
  }
}

/** @param {{ passed: number, failed: number, skipped?: number }} more */
function add({ passed, failed, skipped = 0 }) {
  count.passed += passed;
  count.failed += failed;
  count.skipped += skipped;
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}
