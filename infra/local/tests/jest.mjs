// @ts-check
import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { join, relative } from "node:path";
import { cache, root } from "../bootstrap/project.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

/**
 * A file with failed tests. `isBroken`: something beside its tests failed, such as its end; that counts as one more.
 * @typedef {{ file: string, titles: string[], isBroken: boolean }} Failure
 */

/**
 * A group of tests, run by one jest process and its workers.
 * @typedef {object} Lane
 * @property {string} name
 * @property {string[]} projects of jest.config.mjs
 * @property {string[]} options of jest
 * @property {number} niceness how far it yields when the CPU is short: 0 (not at all) to 19
 * @property {number} timeoutMs
 */

/**
 * @param {Lane} lane
 * @param {object} around
 * @param {string[]} around.args the user's arguments
 * @param {string} around.folder for the tests' files
 * @param {Record<string, string>} around.env
 * @param {(line: string) => void} around.say
 * @param {AbortSignal} around.signal
 * @returns {Promise<Count & { failures: Failure[] }>} a file that cannot be run counts as one failed test
 */
export async function runJest({ name, projects, options, niceness, timeoutMs }, { args, folder, env, say, signal }) {
  const none = { passed: 0, failed: 0, skipped: 0, failures: [] };
  if (signal.aborted) return none;
  const report = join(folder, `${name.replaceAll(/\W+/g, "-")}.json`);
  const program = createRequire(join(root, "package.json")).resolve("jest/bin/jest");
  // `--selectProjects` takes every word that follows it, so it comes last.
  const all = [
    program,
    ...args,
    ...options,
    "--passWithNoTests",
    `--cacheDirectory=${jestCache(folder)}`,
    "--json",
    `--outputFile=${report}`,
    "--selectProjects",
    ...projects,
  ];
  const startedAt = performance.now();
  const how = await new Promise((resolve) => {
    // Its results go to the report file; what it shows goes to stderr.
    const child = spawn(process.execPath, all, {
      cwd: root,
      env: {
        ...process.env,
        ...env,
        TMPDIR: folder,
        NODE_OPTIONS:
          `${process.env["NODE_OPTIONS"] ?? ""} --experimental-vm-modules --disable-warning=ExperimentalWarning`.trim(),
      },
      stdio: ["ignore", "ignore", "inherit"],
      signal,
      timeout: timeoutMs,
      killSignal: "SIGTERM",
    });
    if (child.pid !== undefined) giveWay(child.pid, niceness);
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, killedBy) =>
      resolve(killedBy === null ? code : `killed by ${killedBy} (its limit is ${timeoutMs / 1000} s)`),
    );
  });
  const counts = readReport(report, {
    // with a pattern of titles, all other tests are skipped, as the user wants
    skip: args.some((arg) => /^(-t|--testNamePattern)/.test(arg)) ? () => {} : (title) => say(`Skipped: ${title}`),
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (counts !== undefined && (how === 0 || counts.failed > 0)) {
    if (counts.passed + counts.failed > 0)
      say(`${counts.failed === 0 ? "✓" : "✗"} ${name} (${counts.passed + counts.failed} tests, ${seconds} s)`);
    return counts;
  }
  say(`✗ ${name} did not end well: ${typeof how === "number" ? `exit code ${how}` : how}`);
  return { ...(counts ?? none), failed: 1, failures: [] };
}

/** Sets the niceness of a process and of all that it starts from now on. @param {number} pid @param {number} niceness */
function giveWay(pid, niceness) {
  try {
    setPriority(pid, niceness);
  } catch {
    // the process has ended already, or this system has no niceness
  }
}

/**
 * Keeps jest's transform cache for the next run, in a folder that no other user can write.
 * @param {string} folder for where that is not allowed
 */
function jestCache(folder) {
  const kept = join(cache, `jest-${process.getuid?.() ?? 0}`);
  try {
    mkdirSync(kept, { recursive: true });
    accessSync(kept, constants.W_OK);
    return kept;
  } catch {
    return join(folder, "jest");
  }
}

/** An entry of jest's report. @typedef {{ name: string, message: string, assertionResults: { status: string, fullName: string }[] }} TestFile */

/**
 * @param {string} report
 * @param {{ skip: (title: string) => void }} tell the title of a skipped test names what it lacks, as in `… (needs CONFORMANCE_DATA)`
 * @returns {Count & { failures: Failure[] } | undefined}
 */
function readReport(report, { skip }) {
  try {
    const { testResults, numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } =
      JSON.parse(readFileSync(report, "utf8"));
    for (const { name, assertionResults } of testResults)
      for (const { status, fullName } of assertionResults)
        if (status === "pending" || status === "todo") skip(`${relative(root, name)}: ${fullName}`);
    return {
      passed: numPassedTests,
      failed: numFailedTests + numRuntimeErrorTestSuites,
      skipped: numPendingTests + numTodoTests,
      failures: testResults.flatMap((/** @type {TestFile} */ { name, message, assertionResults }) => {
        const failed = assertionResults.filter(({ status }) => status === "failed");
        const isBroken = message.includes("Test suite failed to run");
        if (failed.length === 0 && !isBroken) return [];
        return [{ file: name, titles: failed.map(({ fullName }) => fullName), isBroken }];
      }),
    };
  } catch {
    return undefined;
  }
}
