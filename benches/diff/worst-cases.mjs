/**
 * Worst cases of comparing, against git and the npm package `diff`: median CPU seconds of three interleaved runs, each in
 * its own process with the differ's flags (start-up is not counted for the two that run in Node, but counted for git,
 * where it is a millisecond). A competitor that takes longer than five seconds for a case is not run again for that case.
 * Fails when a result does not rebuild both sides or a bound is missed.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFlags } from "../../infra/local/stack/services.mjs";
import { crowdingLines } from "./crowding-lines.mjs";

const PATIENCE_MS = 5_000;
const ROUNDS = 3;
const self = fileURLToPath(import.meta.url);

if (process.argv[2] === "--run") await runOne(process.argv.slice(3));

/** @param {string[]} args part of a case's name */
export function run([filter = ""]) {
  return runAll(filter);
}

async function runOne([engine, by, fileA, fileB]) {
  const [a, b] = [readFileSync(fileA, "latin1"), readFileSync(fileB, "latin1")];
  const { compare } = await import("@web-tester/diff/compare");
  const { rebuildA, rebuildB } = await import("@web-tester/diff/hunks/rebuild");
  const npm = await import("diff");
  const before = process.cpuUsage();
  if (engine === "ours") {
    const found = compare(
      a,
      b,
      by === "lines" ? { by, marks: "long" } : by === "lines+words" ? { by: "lines" } : { by },
    );
    const cpu = secondsSince(before);
    const rebuilt = !found.truncated && rebuildB(a, found) === b && rebuildA(b, found) === a;
    console.log(
      JSON.stringify({
        cpu,
        changed: found.added + found.removed,
        note: `${found.coarse ? "capped" : "exact"}${rebuilt ? "" : ", WRONG"}`,
        rebuilt,
      }),
    );
    return;
  }
  const parts =
    by === "chars" ? npm.diffChars(a, b) : by === "words" ? npm.diffWordsWithSpace(a, b) : npm.diffLines(a, b);
  console.log(
    JSON.stringify({
      cpu: secondsSince(before),
      changed: parts.reduce((sum, part) => sum + (part.added || part.removed ? part.count : 0), 0),
      note: "",
    }),
  );
}

function secondsSince(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function runAll(filter) {
  const folder = mkdtempSync(join(tmpdir(), "diff-bench-"));
  const failures = [];
  console.log(
    `${"case".padEnd(44)} ${"by".padEnd(12)} ${"ours".padStart(8)} ${"bound".padStart(6)} ${"git".padStart(8)} ${"npm diff".padStart(9)}   changed: ours / git / npm diff`,
  );
  try {
    for (const { name, make, bounds } of cases()) {
      if (!name.includes(filter)) continue;
      const [fileA, fileB] = [join(folder, "a"), join(folder, "b")];
      make().forEach((text, side) => writeFileSync(side === 0 ? fileA : fileB, text, "latin1"));
      for (const [by, bound] of Object.entries(bounds)) {
        const row = measure(by, fileA, fileB);
        const ours = median(row.ours);
        console.log(
          `${name.padEnd(44)} ${by.padEnd(12)} ${shown(ours).padStart(8)} ${(bound === null ? "" : `${bound}`).padStart(6)} ${shown(median(row.git)).padStart(8)} ${shown(median(row.npm)).padStart(9)}   ${row.changed.ours} (${row.note}) / ${row.changed.git ?? "–"} / ${row.changed.npm ?? "–"}`,
        );
        if (ours === undefined || !row.rebuilt) failures.push(`${name} by ${by}: no right result`);
        else if (bound !== null && ours > bound)
          failures.push(`${name} by ${by}: ${shown(ours)} s, at most ${bound} allowed`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const failure of failures) console.error(`FAILED ${failure}`);
  return failures.length === 0;
}

function measure(by, fileA, fileB) {
  const row = { ours: [], git: [], npm: [], changed: {}, note: "", rebuilt: true };
  let npmGaveUp = by === "lines+words";
  for (let round = 0; round < ROUNDS; round++) {
    const ours = inNode("ours", by, fileA, fileB, 60_000);
    row.ours.push(ours?.cpu);
    row.changed.ours = ours?.changed;
    row.note = ours?.note ?? "no result";
    row.rebuilt &&= ours?.rebuilt === true;
    if (by === "lines") {
      const git = inGit(fileA, fileB);
      row.git.push(git?.cpu);
      row.changed.git = git?.changed;
    }
    if (npmGaveUp) continue;
    const npm = inNode("npm", by, fileA, fileB, PATIENCE_MS);
    npmGaveUp = npm === undefined;
    row.npm.push(npm?.cpu ?? Number.POSITIVE_INFINITY);
    row.changed.npm = npm?.changed;
  }
  return row;
}

function inNode(engine, by, fileA, fileB, timeout) {
  const { stdout, status } = spawnSync(
    process.execPath,
    [...nodeFlags("differ"), self, "--run", engine, by, fileA, fileB],
    {
      encoding: "utf8",
      timeout,
      killSignal: "SIGKILL",
    },
  );
  return status === 0 ? JSON.parse(stdout) : undefined;
}

/** Measures git. Its CPU time comes from the shell, as Node does not report it. */
function inGit(fileA, fileB) {
  const { stdout, stderr } = spawnSync(
    "bash",
    ["-c", 'TIMEFORMAT="%U %S"; time git diff --no-index --text --numstat "$1" "$2"', "bash", fileA, fileB],
    { encoding: "utf8", timeout: PATIENCE_MS, killSignal: "SIGKILL" },
  );
  const [added, removed] = stdout.split("\t").map(Number);
  const [user, system] = stderr.trim().split(" ").map(Number);
  return Number.isFinite(user + system)
    ? { cpu: user + system, changed: Number.isFinite(added + removed) ? added + removed : undefined }
    : undefined;
}

function median(values) {
  return values.filter((value) => value !== undefined).toSorted((x, y) => x - y)[values.length >> 1];
}

function shown(seconds) {
  if (seconds === undefined) return "–";
  return Number.isFinite(seconds) ? seconds.toFixed(3) : `> ${PATIENCE_MS / 1000}`;
}

/** Returns the cases. Bounds are in CPU seconds; with null the run is only shown. */
function cases() {
  const words =
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau the of and to in is for on with as by at from".split(
      " ",
    );
  const sentence = (dice, length) => Array.from({ length }, () => words[dice(words.length)]).join(" ");
  const list = (length, line) => Array.from({ length }, (_, i) => line(i));
  const shuffle = (dice, items) => {
    for (let i = items.length - 1; i > 0; i--) {
      const j = dice(i + 1);
      [items[i], items[j]] = [items[j], items[i]];
    }
    return items;
  };
  const blocks = (lines, size) => list(lines.length / size, (i) => lines.slice(i * size, (i + 1) * size));
  const bytes = (seed, length) => {
    const dice = rolling(seed);
    return list(Math.ceil(length / 4096), () => String.fromCharCode(...list(4096, () => dice(256))))
      .join("")
      .slice(0, length);
  };

  return [
    {
      name: "5 MB, one word changed in every line",
      bounds: { lines: 0.6, "lines+words": 3, words: 3 },
      make: () => {
        const dice = rolling(1);
        const a = list(78_000, (i) => `<p id="r${i}">${sentence(dice, 8)}</p>`);
        return [
          a.join("\n"),
          a.map((line) => line.replace(/ \w+/, ` changed${dice(1000)}`).replace(" id", " data-id")).join("\n"),
        ];
      },
    },
    {
      name: "5 MB, every line rewritten",
      bounds: { lines: 0.6, "lines+words": 3, words: 3, chars: null },
      make: () =>
        [2, 3].map((seed) =>
          ((dice) => list(78_000, () => `<p class="x">${sentence(dice, 9)} ${dice(1e9)}</p>`).join("\n"))(
            rolling(seed),
          ),
        ),
    },
    {
      name: "5 MB, blocks of 500 lines moved",
      bounds: { lines: 0.6, "lines+words": 3, words: 3 },
      make: () => {
        const dice = rolling(4);
        const lines = list(90_000, (i) => `<p id="r${i}">${sentence(dice, 7)}</p>`);
        return [lines.join("\n"), shuffle(dice, blocks(lines, 500)).flat().join("\n")];
      },
    },
    {
      name: "5 MB, blocks of 30 lines moved, many alike",
      bounds: { lines: 0.6, "lines+words": 3, words: 3 },
      make: () => {
        const dice = rolling(5);
        const lines = list(90_000, (i) =>
          i % 3 === 0 ? "</div>" : i % 3 === 1 ? '<div class="row">' : `<p id="r${i}">${sentence(dice, 14)}</p>`,
        );
        return [lines.join("\n"), shuffle(dice, blocks(lines, 30)).flat().join("\n")];
      },
    },
    {
      name: "5 MB, lines that want the same places",
      bounds: { lines: 0.6, "lines+words": 3 },
      make: () => {
        const lines = crowdingLines(420_000);
        return [0, 1].map((side) => lines.filter((_, i) => i % 2 === side).join(""));
      },
    },
    {
      name: "20,000 lines, half changed",
      bounds: { lines: 0.6, words: 3 },
      make: () => {
        const dice = rolling(6);
        const a = list(20_000, () => `<p>${sentence(dice, 8)}</p>`);
        return [a.join("\n"), a.map((line, i) => (i % 2 ? line : `<p>${sentence(dice, 8)}</p>`)).join("\n")];
      },
    },
    {
      name: "20,000 lines of 200 kinds, half changed",
      bounds: { lines: 0.6, words: 3 },
      make: () => {
        const dice = rolling(7);
        const kinds = list(200, () => `<p>${sentence(dice, 8)}</p>`);
        const a = list(20_000, () => kinds[dice(200)]);
        return [a.join("\n"), a.map((line) => (dice(2) ? line : kinds[dice(200)])).join("\n")];
      },
    },
    {
      name: "200 KB on one line, every tenth word changed",
      bounds: { "lines+words": 1, words: 1, chars: 1.5 },
      make: () => {
        const dice = rolling(8);
        const a = list(40_000, () => words[dice(words.length)]);
        return [a.join(" "), a.map((word) => (dice(10) ? word : `w${dice(1000)}`)).join(" ")];
      },
    },
    {
      name: "200 KB on one line, other text",
      bounds: { "lines+words": 1, words: 1, chars: 1.5 },
      make: () =>
        [9, 10].map((seed) =>
          ((dice) => list(3_600, () => `<li class="c${dice(9)}">${sentence(dice, 8)}</li>`).join(""))(rolling(seed)),
        ),
    },
    {
      name: "200 KB on one line, random letters",
      bounds: { words: 1, chars: 1.5 },
      make: () =>
        [11, 12].map((seed) =>
          ((dice) => list(200_000, () => String.fromCharCode(97 + dice(26))).join(""))(rolling(seed)),
        ),
    },
    {
      name: "50,000 disjoint lines",
      bounds: { lines: 0.6, words: 3 },
      make: () => ["left", "right"].map((side) => list(50_000, (i) => `${side} ${i}`).join("\n")),
    },
    {
      name: "10 MB of random bytes",
      bounds: { lines: null, "lines+words": null, words: null, chars: null },
      make: () => [bytes(13, 1e7), bytes(14, 1e7)],
    },
  ];
}

/** Returns a generator of repeatable random integers below `limit` (mulberry32). */
function rolling(seed) {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
