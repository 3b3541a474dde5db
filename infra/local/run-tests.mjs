// @ts-check
/**
 * Command: builds, checks and runs all tests, or with arguments only the tests that these select in jest. The last line counts them: `N
 * passed, N failed` (and `, N skipped`). Needs Node 24.
 */
import { join } from "node:path";
import { runChecks } from "./checks.mjs";
import { endingSignal } from "./ending.mjs";
import { ensureBuilt } from "./ensure-built.mjs";
import { StartError } from "./stack/start-error.mjs";
import { headlessShell } from "./tests/headless-shell.mjs";
import { runJest } from "./tests/jest.mjs";
import { lookAgain } from "./tests/second-look.mjs";
import { openSharedServers } from "./tests/shared-servers.mjs";
import { keepBusy } from "./tests/pace.mjs";
import { openTestFolder } from "./tests/test-folder.mjs";
import { openTurns } from "./tests/turns.mjs";

/**
 * How many integration tests run at once. Each has a product of its own, which costs something while it waits, too: with more of them than the
 * processors have time for, none is done sooner. The shared PostgreSQL has connections for the most.
 */
const atOnce = { least: 2, most: 5 };

/**
 * Together the lanes contain all tests. Unit tests come first, beside the checks: they wait for nothing, and say soonest what is broken.
 * Integration tests start whole products: they have long timeouts for a busy machine, and what a failed one leaves open must not keep us
 * waiting. Those that kill parts of a product run one after the other, beside the rest; so these take longest for the CPU time that they
 * need, and have priority when it is short.
 * @type {Record<"unit" | "integration" | "alone", import("./tests/jest.mjs").Lane>}
 */
const lanes = {
  unit: {
    name: "unit tests",
    projects: ["unit", "unit-gateway"],
    // one of the tests waits for a hundred pages that it looks at; the others go on in the second worker
    options: ["--maxWorkers=2", "--testTimeout=60000"],
    niceness: 0,
    timeoutMs: 2_400_000,
  },
  integration: {
    name: "integration tests",
    projects: ["integration"],
    // as many of these workers are active as have a turn
    options: [`--maxWorkers=${atOnce.most}`, "--testTimeout=180000", "--forceExit"],
    niceness: 3,
    timeoutMs: 4_600_000,
  },
  alone: {
    name: "integration tests, one at a time",
    projects: ["alone"],
    options: ["--runInBand", "--testTimeout=180000", "--forceExit"],
    niceness: 0,
    timeoutMs: 3_000_000,
  },
};
/** @type {Omit<import("./tests/jest.mjs").Lane, "projects">} */
const again = {
  name: "what failed beside others, alone",
  options: ["--runInBand", "--testTimeout=180000", "--forceExit", "--runTestsByPath"],
  niceness: 0,
  timeoutMs: 900_000,
};

const args = process.argv.slice(2);
const signal = endingSignal();
const folder = openTestFolder();
const count = { passed: 0, failed: 0, skipped: 0 };

try {
  await ensureBuilt(say);
  const browser = await headlessShell(folder.path);
  const shared = await openSharedServers(folder.path);
  const turns = await openTurns(atOnce.least);
  const run = (/** @type {import("./tests/jest.mjs").Lane} */ lane, words = args) =>
    runJest(lane, {
      args: words,
      folder: folder.path,
      env: {
        ...browser,
        TEST_SHARED_SERVERS: shared.address,
        TEST_TURNS: String(turns.port),
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(folder.path, "compiled"),
      },
      say,
      signal,
    });
  try {
    const ran = await Promise.all([run(lanes.unit), checksIfAll()]);
    const endPace = keepBusy(turns, atOnce);
    ran.push(...(await Promise.all([run(lanes.integration), run(lanes.alone)]).finally(endPace)));
    ran.forEach(add);
    if (args.length === 0 && !signal.aborted) {
      const failures = ran.flatMap((each) => each.failures);
      const projects = Object.values(lanes).flatMap((lane) => lane.projects);
      const passed = await lookAgain(failures, (files) => run({ ...again, projects }, files), say);
      add({ passed, failed: -passed });
    }
  } finally {
    turns.close();
    await shared.close();
  }
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

async function checksIfAll() {
  const checked = args.length === 0 ? await runChecks({ say, signal }) : { passed: 0, failed: 0 };
  return { ...checked, skipped: 0, failures: [] };
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
