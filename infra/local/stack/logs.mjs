// @ts-check
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { copyFile, readdir, rename, stat, truncate } from "node:fs/promises";
import { join } from "node:path";

const largestBytes = 20 * 1024 * 1024;
const lookEveryMs = 60_000;

/**
 * Calls `use` with a log file opened for appending, and closes our descriptor of it (a started program keeps its own).
 * @template T
 * @param {string} path
 * @param {(fd: number) => T} use
 * @returns {T}
 */
export function withLogFile(path, use) {
  const fd = openSync(path, "a", 0o600);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns the last line of a log that says something, for messages; log records (JSON) are reduced to their message.
 * @param {string} path
 * @param {number} [from] size that the log had before, in bytes: what was written until then does not count
 */
export function lastLineOf(path, from = 0) {
  try {
    const log = readFileSync(path);
    const lines = log
      .toString("utf8", from > log.length ? 0 : from)
      .trimEnd()
      .split("\n")
      .slice(-20)
      .map(readable);
    return lines.findLast((line) => line.bad)?.text ?? lines.findLast((line) => line.text !== "")?.text ?? "";
  } catch {
    return "";
  }
}

/** The size of a log in bytes; 0 where there is none. @param {string | undefined} path */
export function sizeOf(path) {
  return path === undefined ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}

/** @param {string} line @returns {{ text: string, bad: boolean }} */
function readable(line) {
  try {
    const { level, msg, err } = JSON.parse(line);
    if (typeof msg === "string")
      return {
        text: typeof err?.message === "string" && !msg.includes(err.message) ? `${msg}: ${err.message}` : msg,
        bad: level >= 50,
      };
  } catch {
    // not a record
  }
  return { text: line.trim(), bad: /^\w*Error\b|\b(FATAL|PANIC|\[FTL\])/.test(line.trim()) };
}

/**
 * Keeps every log below 20 MB: a larger one is copied to `<name>.1` and emptied. Programs append, so they continue at the beginning of the
 * emptied file; lines written at that moment may be lost.
 * @param {string} folder
 * @returns {() => void} ends it
 */
export function boundLogs(folder) {
  const timer = setInterval(() => void boundOnce(folder), lookEveryMs);
  timer.unref();
  void boundOnce(folder);
  return () => clearInterval(timer);
}

/** @param {string} folder */
async function boundOnce(folder) {
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => name.endsWith(".log")).map((name) => join(folder, name))) {
    try {
      if ((await stat(path)).size <= largestBytes) continue;
      await copyFile(path, `${path}.1.new`);
      await truncate(path);
      await rename(`${path}.1.new`, `${path}.1`);
    } catch {
      // Tried again in a minute; a log is no reason to stop the product.
    }
  }
}
