// @ts-check
// Benches of storing: three releases of a manual through the whole product, compared with gzip and plain zstd; the cost of writing and reading.
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { readWords } from "../lib/read-words.mjs";
import { Report } from "../lib/report.mjs";
import { benchSignal } from "../lib/stack.mjs";
import { measureCosts } from "./costs.mjs";
import { measureSizes } from "./sizes.mjs";

const releases = ["15", "17", "18"];
const timeoutMs = 20 * 60_000;

const usage = `npm run bench -- storage [costs | sizes]

Without a part both. Aims: three releases in at most 45 % of one gzip-6 object per page; a re-crawl of an unchanged site adds no blob bytes; hashing and
compressing at most 1.8 × plain zstd-3; any page read back at 150 MB per CPU second or more.`;

async function main() {
  const [part] = readWords(usage, ([first]) => first === undefined || first === "costs" || first === "sizes");
  const signal = benchSignal(timeoutMs);
  const versions = await layOutCorpus("postgresql-manual", { log: console.log });
  const chosen = releases.map((name) => {
    const version = versions.get(name);
    if (version === undefined) throw new Error(`There is no release ${name} of the manual`);
    return version;
  });
  const report = new Report(console.log);
  if (part !== "sizes") await measureCosts(chosen, report);
  if (part !== "costs") await measureSizes(chosen, report, signal);
  if (!report.passed) process.exitCode = 1;
}

await main();
