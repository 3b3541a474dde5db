// @ts-check
/** Finds the links of every page of the corpora: compares the speed of the product's scanner with htmlparser2, and its results with parse5's tree. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import { sniffCharset } from "@web-tester/html/charset/decode";
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { corpusPackages } from "../corpus/packages.mjs";
import { runCommand } from "../corpus/run-command.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { engines } from "./engines.mjs";
import { hostilePages } from "./hostile.mjs";

const usage = `npm run bench -- links [--runs N] [--only TEXT]

Medians of N (3) interleaved runs per corpus in megabytes of HTML per CPU second, each in a process of its own; pages whose
set of addresses differs from that of parse5's tree; and the CPU time of hostile pages of 1 MB and of 8 MB, which is linear
where it grows eightfold. --only: corpora with TEXT in their name. Ends with 1 when an aim is missed.`;
const aim = 5;
const hostileBytes = 1e6;
const hostileGrowth = 8;
const patienceMs = 60_000;
const measureProgram = fileURLToPath(new URL("measure.mjs", import.meta.url));

/** @param {"scanLinks" | "htmlparser2"} engine @param {string[]} rest @returns {Promise<Record<string, number>>} */
async function measure(engine, ...rest) {
  return JSON.parse(await runCommand(process.execPath, [measureProgram, engine, ...rest], { timeoutMs: patienceMs }));
}

/** @param {number} runs @param {string} only @param {Report} report */
async function corpora(runs, only, report) {
  const rows = [];
  for (const site of new Set(corpusPackages.map((row) => row.site))) {
    for (const { version, root } of (await layOutCorpus(site, { log: console.log })).values()) {
      const name = `${site} ${version}`;
      if (!name.includes(only)) continue;
      report.begin(name);
      /** @type {{ scanLinks: number[], htmlparser2: number[] }} */
      const speeds = { scanLinks: [], htmlparser2: [] };
      for (let run = 0; run < runs; run += 1)
        for (const engine of /** @type {const} */ (["scanLinks", "htmlparser2"]))
          speeds[engine].push((await measure(engine, "corpus", root))["speed"] ?? Number.NaN);
      const [ours, theirs] = [median(speeds.scanLinks), median(speeds.htmlparser2)];
      const { pages, differing, htmlparser2Differs, links } = await compare(root);
      report.atLeast("MB per CPU second, as a multiple of htmlparser2", aim, ours / theirs, "×", { digits: 1 });
      report.equal(
        "pages with another set of addresses than parse5's tree",
        0,
        differing.length,
        differing.slice(0, 3).join(" "),
      );
      rows.push([
        name,
        String(pages),
        String(links),
        ours.toFixed(0),
        theirs.toFixed(0),
        `${(ours / theirs).toFixed(1)} ×`,
        `${pages - differing.length} of ${pages}`,
        `${pages - htmlparser2Differs} of ${pages}`,
      ]);
    }
  }
  return markdownTable(
    [
      "corpus",
      "pages",
      "addresses",
      "scanLinks MB/CPU s",
      "htmlparser2 MB/CPU s",
      "",
      "scanLinks = parse5",
      "htmlparser2 = parse5",
    ],
    rows,
  );
}

/** @param {string} root */
async function compare(root) {
  const names = (await readdir(root, { recursive: true })).filter((name) => /\.html?$/i.test(name));
  const found = { pages: names.length, links: 0, differing: /** @type {string[]} */ ([]), htmlparser2Differs: 0 };
  for (const name of names) {
    const bytes = await readFile(join(root, name));
    const html = decodeAs(bytes, sniffCharset(bytes, null).charset);
    const right = new Set(engines.parse5(html));
    found.links += right.size;
    if (new Set(engines.scanLinks(html)).symmetricDifference(right).size > 0) found.differing.push(name);
    if (new Set(engines.htmlparser2(html)).symmetricDifference(right).size > 0) found.htmlparser2Differs += 1;
  }
  return found;
}

/** @param {Report} report */
async function hostile(report) {
  const rows = [];
  report.begin("hostile pages");
  for (const { name } of hostilePages) {
    const seconds = async (/** @type {"scanLinks" | "htmlparser2"} */ engine, /** @type {number} */ bytes) =>
      (await measure(engine, "hostile", name, String(bytes)).catch(() => undefined))?.["seconds"] ??
      Number.POSITIVE_INFINITY;
    const small = await seconds("scanLinks", hostileBytes);
    const large = await seconds("scanLinks", hostileBytes * hostileGrowth);
    const theirs = await seconds("htmlparser2", hostileBytes);
    // less than a millisecond cannot be measured reliably, because of the clock and the compiler
    const growth = large / Math.max(small, 0.001);
    report.below(`${name}: CPU time of 8 MB, as a multiple of 1 MB`, hostileGrowth * 2, growth, "×", {
      digits: 1,
      must: true,
    });
    rows.push([
      name,
      (small * 1e3).toFixed(1),
      (large * 1e3).toFixed(1),
      growth.toFixed(1),
      Number.isFinite(theirs) ? (theirs * 1e3).toFixed(1) : `> ${patienceMs / 5}`,
    ]);
  }
  return markdownTable(["hostile page", "1 MB, ms", "8 MB, ms", "growth", "htmlparser2, 1 MB, ms"], rows);
}

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "3" },
      only: { type: "string", default: "" },
      help: { type: "boolean", default: false },
    },
  });
  const runs = Number(values.runs);
  if (values.help || !(runs >= 1 && runs <= 100)) {
    console.log(usage);
    return values.help;
  }
  const report = new Report(console.log);
  const tables = [await corpora(runs, values.only, report), await hostile(report)];
  console.log(`\n${tables.join("\n\n")}\n`);
  return report.checks.every((check) => check.ok);
}

const passed = await main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.stack : error);
  return false;
});
process.exit(passed ? 0 : 1);
