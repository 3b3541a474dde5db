// @ts-check
import { spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFlags } from "../../infra/local/stack/services.mjs";
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";

const rounds = 3;
const patienceMs = 300_000;
const enginePath = fileURLToPath(new URL("engine.mjs", import.meta.url));

/** Two versions of each site; the aims hold for each site alone. */
const sites = [
  { site: "postgresql-manual", from: "15", to: "17" },
  { site: "python-docs", from: "3.11", to: "3.13" },
];
const engines = /** @type {const} */ ([
  "reading alone",
  "ours count",
  "ours lines",
  "ours lines+words",
  "npm diff",
  "fast-myers-diff",
]);

/**
 * @typedef {{ cpu: number, changed: number | null, note: string }} Figure CPU seconds over all pairs, start-up of Node
 *   left out, reading the files included; lines
 *   added and removed
 */

/** Compares every pair of pages that both versions have: CPU of each engine over all of them, in interleaved rounds. */
export async function run() {
  const report = new Report(console.log);
  for (const { site, from, to } of sites) {
    const work = await mkdtemp(join(tmpdir(), "diff-bench-"));
    try {
      const versions = await layOutCorpus(site, { log: console.log });
      const [a, b] = [versions.get(from), versions.get(to)];
      if (a === undefined || b === undefined) throw new Error(`${site} has no version ${from} or ${to}`);
      const { pairs, bytes, largest } = await copyPairs(a.root, b.root, work);
      report.begin(
        `${site} ${from} → ${to}: ${pairs} pairs, ${(bytes / 1e6).toFixed(1)} MB, largest page ${Math.round(largest / 1e3)} KB`,
      );
      judge(report, measure(work), bytes);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  return report.passed;
}

/** Copies the pages that both trees have into `a/` and `b/`, so that tools for whole trees see the same pairs as the others. */
async function copyPairs(/** @type {string} */ rootA, /** @type {string} */ rootB, /** @type {string} */ work) {
  let [pairs, bytes, largest] = [0, 0, 0];
  const there = new Set(await readdir(rootB, { recursive: true }));
  for (const name of await readdir(rootA, { recursive: true })) {
    if (!/\.html?$/i.test(name) || !there.has(name)) continue;
    pairs += 1;
    for (const [side, root] of [
      ["a", rootA],
      ["b", rootB],
    ]) {
      const target = join(work, `${side}`, name);
      await mkdir(dirname(target), { recursive: true });
      await copyFile(join(`${root}`, name), target);
      const { size } = await stat(target);
      bytes += size;
      largest = Math.max(largest, size);
    }
  }
  return { pairs, bytes, largest };
}

/** @returns {Map<string, Figure>} medians by engine */
function measure(/** @type {string} */ work) {
  /** @type {Map<string, Figure[]>} */
  const seen = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const engine of [...engines, "GNU diff", "git myers", "git histogram", "git histogram, patch"]) {
      const before = seen.get(engine) ?? [];
      seen.set(engine, before);
      if (before.some(({ note }) => note !== "")) continue; // an engine that ran out of time once is not run again
      before.push(engine.startsWith("git") || engine.startsWith("GNU") ? byTool(engine, work) : byEngine(engine, work));
    }
  }
  return new Map(
    [...seen].map(([engine, figures]) => [
      engine,
      {
        cpu: median(figures.map(({ cpu }) => cpu)),
        changed: figures[0]?.changed ?? null,
        note: figures.find(({ note }) => note !== "")?.note ?? "",
      },
    ]),
  );
}

/** @returns {Figure} */
function byEngine(/** @type {string} */ engine, /** @type {string} */ work) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...nodeFlags("differ"), enginePath, engine, join(work, "a"), join(work, "b")],
    {
      encoding: "utf8",
      timeout: patienceMs,
      killSignal: "SIGKILL",
    },
  );
  if (status === 0) return { note: "", ...JSON.parse(stdout) };
  if (status === null) return { cpu: Number.POSITIVE_INFINITY, changed: null, note: `over ${patienceMs / 1000} s` };
  throw new Error(`${engine} failed: ${stderr.slice(0, 500)}`);
}

/** Measures a tool. Its CPU time comes from the shell, as Node does not report it. @returns {Figure} */
function byTool(/** @type {string} */ tool, /** @type {string} */ work) {
  const algorithm = tool === "git myers" ? "myers" : "histogram";
  const isPatch = tool.endsWith("patch");
  const command =
    tool === "GNU diff"
      ? "diff -r --text --normal a b"
      : `git diff --no-index --text ${isPatch ? "-U3" : "--numstat"} --no-renames --diff-algorithm=${algorithm} a b${isPatch ? " > /dev/null" : ""}`;
  const { stdout, stderr } = spawnSync("bash", ["-c", `TIMEFORMAT="%U %S"; time ${command}`], {
    cwd: work,
    encoding: "utf8",
    timeout: patienceMs,
    maxBuffer: 1 << 30,
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
  });
  const [user = Number.NaN, system = Number.NaN] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  const changed =
    tool === "GNU diff"
      ? stdout.split("\n").filter((line) => /^[<>]/.test(line)).length
      : isPatch
        ? null
        : stdout.split("\n").reduce((sum, line) => {
            const [added = 0, removed = 0] = line.split("\t").map(Number);
            return sum + (added + removed || 0);
          }, 0);
  if (!Number.isFinite(user + system)) throw new Error(`${tool} failed: ${stderr.slice(0, 500)}`);
  return { cpu: user + system, changed, note: "" };
}

/** @param {Report} report @param {Map<string, Figure>} figures @param {number} bytes of both sides */
function judge(report, figures, bytes) {
  const of = (/** @type {string} */ engine) => {
    const figure = figures.get(engine);
    if (figure === undefined) throw new Error(`${engine} was not run`);
    return figure;
  };
  console.log(
    markdownTable(
      ["engine", "CPU s", "MB per CPU s", "changed lines"],
      [...figures].map(([engine, { cpu, changed, note }]) => [
        engine,
        note || cpu.toFixed(2),
        note === "" ? (bytes / 1e6 / cpu).toFixed(0) : "",
        changed === null ? "" : changed.toLocaleString("en-US"),
      ]),
    ),
  );
  const [counted, words] = [of("ours count"), of("ours lines+words")];
  const [histogram, myers] = [of("git histogram"), of("git myers")];
  const gits = Math.min(myers.changed ?? 0, histogram.changed ?? 0);
  const times = { digits: 2 };
  report.below("CPU of lines beside git histogram, files read", 1.25, counted.cpu / histogram.cpu, "times", times);
  const [hunks, patch] = [of("ours lines"), of("git histogram, patch")];
  report.below("CPU of lines with hunks beside git histogram's patch", 1.25, hunks.cpu / patch.cpu, "times", times);
  report.below("changed lines beside git's", 1.01, (counted.changed ?? 0) / gits, "times", { must: true, digits: 4 });
  report.atLeast("lines with words inside changed hunks", 20, bytes / 1e6 / words.cpu, "MB per CPU second");
}
