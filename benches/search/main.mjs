// @ts-check
/** Measures searches over 25,000 distinct manual pages under 1,000,000 snapshots, compared with a scan of PostgreSQL, pg_trgm and ripgrep. */
import { cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { watchProcesses } from "../lib/processes.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { askProduct } from "./ask-product.mjs";
import { loadPages, makeSearchable, searchSizes } from "./load.mjs";
import { distinctPages, pageFolder } from "./pages.mjs";
import { phrases } from "./phrases.mjs";
import { askPostgres, askRipgrep, hasRipgrep, loadRivals } from "./rivals.mjs";

const usage = `npm run bench -- search [--pages 25000] [--snapshots 1000000] [--rounds 3] [--keep-data]

Every phrase is asked of the product (a page of results, then the sums over all snapshots), of PostgreSQL without and with pg_trgm, and
of ripgrep, one after the other, and all of it --rounds times; shown are medians, CPU seconds of whole process trees. Ends with 1 when a count is wrong. The whole takes half
an hour and more; --pages 3000 --snapshots 100000 some minutes. Every search is told as it is measured.`;

/** @typedef {{ firstMs: number[], lastMs: number[], cpu: number[], sumMs: number[], sumCpu: number[], scan: number[], trigram: number[], ripgrep: number[], scanMs: number[], trigramMs: number[] }} Figures */

/** @returns {Promise<boolean>} whether every count was right */
async function main() {
  const { values } = parseArgs({
    options: {
      pages: { type: "string", default: "25000" },
      snapshots: { type: "string", default: "1000000" },
      rounds: { type: "string", default: "3" },
      "keep-data": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return true;
  }
  const signal = benchSignal(60 * 60_000);
  const report = new Report(console.log);
  const pages = await distinctPages(Number(values.pages), console.log);
  const raw = pages.reduce((sum, { size }) => sum + size, 0);
  const ripgrep = await hasRipgrep();
  if (!ripgrep)
    console.log(
      "ripgrep is not installed (apt-get install ripgrep): nothing is held against it, and counts are not checked.",
    );
  await withProduct({ signal, log: console.log, keepData: values["keep-data"] }, async (product) => {
    const { database, address, parts } = product;
    console.log(
      `${cpus().length} CPUs, load ${loadavg()
        .map((load) => load.toFixed(1))
        .join(" ")}`,
    );
    await database.query("SET statement_timeout = 0");
    const loaded = await loadPages(product, pages, Number(values.snapshots));
    console.log(
      `${pages.length} distinct pages, ${mb(raw)} MB, under ${loaded.snapshots} snapshots of ${loaded.instances} instances`,
    );

    report.begin("Index");
    const building = watchProcesses(parts);
    await makeSearchable(database, loaded.objectId, signal);
    const built = Object.fromEntries(building.stop().map((part) => [part.name, part]));
    const buildCpu = (built["differ"]?.cpuSeconds ?? 0) + (built["postgres"]?.cpuSeconds ?? 0);
    const sizes = await searchSizes(database);
    console.log(
      `  ${sizes.packs} packs: text ${mb(sizes.text)} MB, filters ${mb(sizes.index)} MB, tables with all ${mb(sizes.tables)} MB; ${buildCpu.toFixed(1)} CPU s (differ ${built["differ"]?.cpuSeconds.toFixed(1)}, peak ${mb(built["differ"]?.peakBytes ?? 0)} MB)`,
    );
    report.below("index and packed text, of the raw text", 60, (sizes.tables / raw) * 100, "%", { digits: 1 });
    report.below("CPU to build, per MB of text (5 MB per second are 0.2)", 0.2, buildCpu / (raw / 1e6), "s", {
      digits: 3,
    });

    const rivals = await loadRivals(database, pages);
    console.log(`  beside: plain table ${mb(rivals.bytes)} MB, index of pg_trgm ${mb(rivals.trigramBytes)} MB`);
    const folder = join(dirname(product.dataDir), "pages");
    if (ripgrep) await pageFolder(pages, folder);

    report.begin("Counts");
    if (ripgrep) await checkCounts(product, loaded.objectId, folder, report);

    const asked = phrases.filter(({ kind }) => kind !== "count");
    /** @type {Map<string, Figures>} */
    const figures = new Map(
      asked.map(({ phrase }) => [
        phrase,
        {
          firstMs: [],
          lastMs: [],
          cpu: [],
          sumMs: [],
          sumCpu: [],
          scan: [],
          trigram: [],
          ripgrep: [],
          scanMs: [],
          trigramMs: [],
        },
      ]),
    );
    report.begin("Rounds");
    for (let round = 0; round < Number(values.rounds); round += 1)
      for (const { phrase } of asked) {
        signal.throwIfAborted();
        const row = figures.get(phrase);
        if (row === undefined) continue;
        const ours = await measured(parts, ["gateway", "postgres"], () => askProduct(address, loaded.objectId, phrase));
        if (ours.value.partial !== null) throw new Error(ours.value.partial);
        row.firstMs.push(ours.value.firstMs);
        row.lastMs.push(ours.value.lastMs);
        row.cpu.push(ours.cpuSeconds);
        const sums = await measured(parts, ["gateway", "postgres"], () =>
          product.rest.call("searchSummary", { query: { q: phrase, testobject_id: loaded.objectId } }),
        );
        row.sumMs.push(sums.tookMs);
        row.sumCpu.push(sums.cpuSeconds);
        const scan = await measured(parts, ["postgres"], () => askPostgres(database, "plain", phrase));
        row.scan.push(scan.cpuSeconds);
        row.scanMs.push(scan.tookMs);
        const trigram = await measured(parts, ["postgres"], () => askPostgres(database, "trigram", phrase));
        row.trigram.push(trigram.cpuSeconds);
        row.trigramMs.push(trigram.tookMs);
        if (ripgrep) row.ripgrep.push((await askRipgrep(folder, phrase)).cpuSeconds);
        console.log(
          `  round ${round + 1}, ${JSON.stringify(phrase)}: first ${ours.value.firstMs.toFixed(0)} ms, page ${ours.value.lastMs.toFixed(0)} ms, CPU ${ours.cpuSeconds.toFixed(2)} s, sums ${sums.cpuSeconds.toFixed(2)} s; scan ${scan.cpuSeconds.toFixed(2)} s, pg_trgm ${trigram.cpuSeconds.toFixed(2)} s, ripgrep ${row.ripgrep.at(-1)?.toFixed(2) ?? "–"} s`,
        );
      }
    report.begin("Times");
    for (const { phrase, kind } of asked) {
      const row = figures.get(phrase);
      if (row === undefined) continue;
      const name = JSON.stringify(phrase);
      report.below(`first results of ${name}`, 200, median(row.firstMs), "ms");
      if (kind === "rare") report.below(`rare ${name}`, 50, median(row.lastMs), "ms", { digits: 1 });
      else {
        for (const [what, cpu] of /** @type {const} */ ([
          ["a page", row.cpu],
          ["the sums", row.sumCpu],
        ])) {
          const share = (/** @type {number[]} */ rival) => median(cpu) / median(rival);
          report.below(`CPU of ${what} of ${name}, of a PostgreSQL scan's`, 0.5, share(row.scan), "times", {
            digits: 2,
          });
          if (ripgrep)
            report.below(`CPU of ${what} of ${name}, of ripgrep's`, 4, share(row.ripgrep), "times", { digits: 2 });
        }
      }
    }
    console.log(
      `\n## search: ${pages.length} pages, ${mb(raw)} MB, ${loaded.snapshots} snapshots; medians of ${values.rounds}\n`,
    );
    console.log(table(asked, figures));
  });
  return report.passed;
}

/**
 * Checks that the totals of the product equal ripgrep's counts over all snapshots.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} objectId
 * @param {string} folder
 * @param {Report} report
 */
async function checkCounts({ database, rest }, objectId, folder, report) {
  const { rows } = await database.query(
    `SELECT encode(s.content_hash, 'hex') AS hash, count(*)::int AS snapshots FROM test_snapshot s GROUP BY 1`,
  );
  const snapshotsOf = new Map(rows.map(({ hash, snapshots }) => [hash, snapshots]));
  for (const { phrase } of phrases) {
    const { counts } = await askRipgrep(folder, phrase);
    let matches = 0;
    let snapshots = 0;
    for (const [hash, count] of counts) {
      matches += count * (snapshotsOf.get(hash) ?? 0);
      snapshots += snapshotsOf.get(hash) ?? 0;
    }
    const said = await rest.call("searchSummary", { query: { q: phrase, testobject_id: objectId } });
    report.equal(
      `matches and snapshots of ${JSON.stringify(phrase)}`,
      `${matches} in ${snapshots}`,
      `${said.matches} in ${said.snapshots}`,
      "ripgrep",
    );
  }
}

/**
 * @template T
 * @param {() => import("../lib/processes.mjs").Part[]} parts
 * @param {string[]} names
 * @param {() => Promise<T>} work
 */
async function measured(parts, names, work) {
  const watch = watchProcesses(() => parts().filter(({ name }) => names.includes(name)));
  const began = performance.now();
  const value = await work();
  const tookMs = performance.now() - began;
  return { value, tookMs, cpuSeconds: watch.stop().reduce((sum, part) => sum + part.cpuSeconds, 0) };
}

/** @param {readonly { phrase: string, kind: string }[]} asked @param {Map<string, Figures>} figures */
function table(asked, figures) {
  return markdownTable(
    [
      "phrase",
      "kind",
      "first ms",
      "page ms",
      "CPU s",
      "sums ms",
      "sums CPU s",
      "scan CPU s",
      "pg_trgm CPU s",
      "rg CPU s",
      "scan ms",
      "pg_trgm ms",
    ],
    asked.map(({ phrase, kind }) => {
      const row = figures.get(phrase);
      const shown = (/** @type {number[] | undefined} */ list, /** @type {number} */ digits) =>
        list === undefined || list.length === 0 ? "–" : median(list).toFixed(digits);
      return [
        JSON.stringify(phrase),
        kind,
        shown(row?.firstMs, 0),
        shown(row?.lastMs, 0),
        shown(row?.cpu, 3),
        shown(row?.sumMs, 0),
        shown(row?.sumCpu, 2),
        shown(row?.scan, 2),
        shown(row?.trigram, 2),
        shown(row?.ripgrep, 2),
        shown(row?.scanMs, 0),
        shown(row?.trigramMs, 0),
      ];
    }),
  );
}

/** @param {number} bytes */
const mb = (bytes) => (bytes / 1e6).toFixed(1);

process.exitCode = (await main()) ? 0 : 1;
