// @ts-check
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/**
 * Measures CPU and memory of process trees, read from /proc (proc(5)); Linux only.
 *
 * @typedef {{ name: string, pid: number }} Part a process with its descendants, as far as these are not parts themselves
 * @typedef {object} PartUse
 * @property {string} name
 * @property {number} cpuSeconds user and system time since the watch began, including children that have ended
 * @property {number} peakBytes peak resident memory. One process: the kernel's own high-water mark. Several (PostgreSQL):
 *   the largest sample of their private memory together, pages that they share counted once
 * @property {number} peakOwnBytes the same of its first process alone, without its child processes (such as a browser)
 * @typedef {{ pid: number, ppid: number, name: string, ticks: number, reapedTicks: number }} ProcessLine
 * @typedef {{ hwm: number, anon: number, file: number, shmem: number }} Memory bytes
 */

const sampleEveryMs = 250;

/**
 * Measures parts until `stop`. High-water marks are reset first, so that a watch shows its own phase alone; where that is
 * not permitted (processes of another user), they count since the process began.
 * @param {() => readonly Part[]} parts called for every sample, so that a restarted part is followed
 * @returns {{ stop: () => PartUse[] }}
 */
export function watchProcesses(parts) {
  const ticksPerSecond = clockTicksPerSecond();
  /** @type {Map<string, { before: Map<number, number>, latest: Map<number, number>, sampledPeak: number, peakOfOne: number, peakOfFirst: number, several: boolean }>} */
  const seen = new Map();
  const sample = (/** @type {boolean} */ first) => {
    const lines = readProcessLines();
    const roots = parts();
    for (const { name, pid } of roots) {
      const tree = treeOf(lines, pid, new Set(roots.map((part) => part.pid)));
      if (first) for (const line of tree) resetHighWaterMark(line.pid);
      const entry = seen.get(name) ?? {
        before: new Map(),
        latest: new Map(),
        sampledPeak: 0,
        peakOfOne: 0,
        peakOfFirst: 0,
        several: false,
      };
      seen.set(name, entry);
      const ticks = tree.reduce((sum, line) => sum + line.ticks + line.reapedTicks, 0);
      if (first) entry.before.set(pid, ticks);
      entry.latest.set(pid, Math.max(ticks, entry.latest.get(pid) ?? 0));
      const memory = tree.map((line) => readMemory(line.pid)).filter((found) => found !== undefined);
      entry.several ||= memory.length > 1;
      entry.sampledPeak = Math.max(entry.sampledPeak, residentTogether(memory));
      entry.peakOfOne = Math.max(entry.peakOfOne, ...memory.map((one) => one.hwm));
      entry.peakOfFirst = Math.max(entry.peakOfFirst, readMemory(pid)?.hwm ?? 0);
    }
  };
  sample(true);
  const timer = setInterval(() => sample(false), sampleEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      sample(false);
      return [...seen].map(([name, { before, latest, sampledPeak, peakOfOne, peakOfFirst, several }]) => ({
        name,
        cpuSeconds: [...latest].reduce((sum, [pid, ticks]) => sum + ticks - (before.get(pid) ?? 0), 0) / ticksPerSecond,
        peakBytes: several ? sampledPeak : peakOfOne,
        peakOwnBytes: peakOfFirst,
      }));
    },
  };
}

/**
 * Returns the memory that a process and all its descendants use now, with shared pages counted once.
 * @param {number} pid
 * @returns {number} bytes
 */
export function memoryOf(pid) {
  const memory = treeOf(readProcessLines(), pid, new Set([pid])).map((line) => readMemory(line.pid));
  return residentTogether(memory.filter((found) => found !== undefined));
}

/**
 * Returns a process with all its descendants, without those that belong to another part.
 * @param {readonly ProcessLine[]} lines
 * @param {number} root
 * @param {ReadonlySet<number>} roots root processes of all parts
 * @returns {ProcessLine[]}
 */
export function treeOf(lines, root, roots) {
  const tree = lines.filter((line) => line.pid === root);
  for (const parent of tree) tree.push(...lines.filter((line) => line.ppid === parent.pid && !roots.has(line.pid)));
  return tree;
}

/**
 * Adds up the resident memory of processes that share some: private pages add up, mapped files and shared memory count once.
 * @param {readonly Memory[]} memory
 * @returns {number} bytes
 */
export function residentTogether(memory) {
  const largest = (/** @type {"file" | "shmem"} */ kind) => Math.max(0, ...memory.map((one) => one[kind]));
  return memory.reduce((sum, one) => sum + one.anon, 0) + largest("file") + largest("shmem");
}

/**
 * Parses the relevant fields of `/proc/<pid>/stat`; the name may contain blanks and brackets, so the fields after it are found from its last bracket.
 * @param {string} text
 * @returns {ProcessLine}
 */
export function parseProcessLine(text) {
  const nameEnd = text.lastIndexOf(")");
  const fields = text
    .slice(nameEnd + 2)
    .split(" ")
    .map(Number);
  const field = (/** @type {number} */ number) => fields[number - 3] ?? 0; // numbered as in proc(5)
  return {
    pid: Number.parseInt(text, 10),
    ppid: field(4),
    name: text.slice(text.indexOf("(") + 1, nameEnd),
    ticks: field(14) + field(15),
    reapedTicks: field(16) + field(17),
  };
}

/**
 * Parses the memory lines of `/proc/<pid>/status`; undefined for a process that is just ending and has none left.
 * @param {string} text
 * @returns {Memory | undefined}
 */
export function parseMemory(text) {
  const kilobytes = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? Number.NaN) * 1024;
  const memory = {
    hwm: kilobytes("VmHWM"),
    anon: kilobytes("RssAnon"),
    file: kilobytes("RssFile"),
    shmem: kilobytes("RssShmem"),
  };
  return Number.isNaN(memory.hwm) ? undefined : memory;
}

/** @returns {ProcessLine[]} */
function readProcessLines() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readIfThere(`/proc/${pid}/stat`).map(parseProcessLine));
}

/** @param {number} pid @returns {Memory | undefined} */
function readMemory(pid) {
  return readIfThere(`/proc/${pid}/status`).map(parseMemory)[0];
}

/** Reads a file; empty where the process has ended since it was listed. @param {string} path @returns {string[]} */
function readIfThere(path) {
  try {
    return [readFileSync(path, "utf8")];
  } catch {
    return [];
  }
}

/** @param {number} pid */
function resetHighWaterMark(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // another user's process, or one that has just ended
  }
}

function clockTicksPerSecond() {
  return Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8", timeout: 5_000 }));
}
