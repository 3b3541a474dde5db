// @ts-check
/** Does the main job on the PostgreSQL manual: crawl, fetch, change, fetch, fetch unchanged; every count is checked against an independent one. */
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { serveFolder } from "../corpus/serve.mjs";
import { bareFetch } from "../lib/bare-fetch.mjs";
import { Report } from "../lib/report.mjs";
import { benchSignal } from "../lib/stack.mjs";
import { prepare } from "./prepare.mjs";
import { runJob } from "./run-job.mjs";
import { checkTable, growthTable, phaseTable } from "./tables.mjs";

const jobTimeoutMs = 15 * 60_000;
const usage = `npm run bench -- main-job [--runs N] [--before 15] [--after 17] [--all-diffs] [--keep-data]

Crawls and fetches the PostgreSQL manual, lets it change, fetches it twice more, and holds every count against one made
without the product. --runs N does the whole job N times (1) and shows medians of what was measured. --all-diffs
asks for the diff of every changed page instead of some forty. Ends with 1 when a count is wrong.`;

/** @returns {Promise<boolean>} whether every count was right */
async function main() {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "1" },
      before: { type: "string", default: "15" },
      after: { type: "string", default: "17" },
      "all-diffs": { type: "boolean", default: false },
      "keep-data": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const runs = Number(values.runs);
  if (values.help || !Number.isInteger(runs) || runs < 1 || runs > 100) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal(runs * jobTimeoutMs);
  const expected = await prepare({ before: values.before, after: values.after, log: console.log });
  describe(expected);
  await showFloor(expected, signal);
  const report = new Report(console.log);
  const results = [];
  for (let run = 1; run <= runs; run += 1) {
    console.log(
      `\nJob ${run} of ${runs}; ${cpus().length} CPUs, load ${loadavg()
        .map((load) => load.toFixed(1))
        .join(" ")}`,
    );
    results.push(
      await runJob(expected, {
        report,
        log: console.log,
        signal,
        diffsTried: values["all-diffs"] ? expected.pages.size : 40,
        keepData: values["keep-data"],
      }),
    );
  }
  console.log(
    `\n## main-job: PostgreSQL manual ${expected.before.contents.release}, then ${expected.after.contents.release}; ${runs === 1 ? "one job" : `medians of ${runs} jobs`}\n`,
  );
  console.log(
    `${phaseTable(results)}\n\n${growthTable(results, expected.pages.size)}\n\n${checkTable(report.checks)}\n`,
  );
  const [wrong, missed] = [true, false].map(
    (must) => report.checks.filter((check) => !check.ok && check.must === must).length,
  );
  console.log(`${report.checks.length} figures: ${wrong} wrong, ${missed} that miss their aim.`);
  return report.passed;
}

/** @param {import("./prepare.mjs").Expectation} expected */
function describe({ site, before, after, pages, compared }) {
  for (const version of [before, after]) {
    console.log(
      `${site} ${version.version}: ${version.contents.pages} HTML pages, ${(version.contents.bytes / 1e6).toFixed(1)} MB (${version.package} ${version.contents.release}; the table has ${version.pages} pages, counted in ${version.countedIn})`,
    );
  }
  console.log(
    `By links from ${before.index}: ${pages.size} pages; in version ${after.version} ${compared.changed.size} of them differ, ${compared.same.size} are the same, ${compared.gone.size} are gone`,
  );
}

/** @param {import("./prepare.mjs").Expectation} expected @param {AbortSignal} signal */
async function showFloor({ before, pages }, signal) {
  const site = await serveFolder(before.root);
  try {
    const { seconds, bytes } = await bareFetch(
      [...pages].map((page) => site.url + page),
      8,
      signal,
    );
    console.log(
      `A bare loop of fetch, 8 at once, gets these pages (${(bytes / 1e6).toFixed(1)} MB) in ${seconds.toFixed(1)} s`,
    );
  } finally {
    await site.close();
  }
}

const passed = await main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.stack : error);
  return false;
});
process.exit(passed ? 0 : 1);
