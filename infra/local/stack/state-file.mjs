// @ts-check
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { birthOf, isStillRunning } from "./process-birth.mjs";
import { wordsOf } from "./start-error.mjs";
import { until } from "./until.mjs";

/**
 * The running parts, for tests and for the next start. `pid` is null if the part is external, or between death and restart.
 * @typedef {object} StackState
 * @property {number} pid of the process that holds the stack
 * @property {string} address where the product answers
 * @property {string} databaseUrl with password
 * @property {string} natsUrl with password
 * @property {string} storageUrl
 * @property {{ name: string, pid: number | null, birth: string | null, embedded: boolean }[]} parts
 */

/**
 * Writes `stack.json` atomically; readable by this user only (it holds passwords). Synchronous, because it runs from exit events and
 * two writes must not overtake one another.
 * @param {string} path
 * @param {Omit<StackState, "parts"> & { parts: { name: string, pid: number | null, embedded: boolean }[] }} state
 */
export function writeState(path, state) {
  const parts = state.parts.map((part) => ({ ...part, birth: part.pid === null ? null : (birthOf(part.pid) ?? null) }));
  const folder = folderOf(path);
  writeFileSync(`${path}.new`, `${JSON.stringify({ ...state, folder, parts }, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** A write that failed, as on a full disk, is tried again after so many ms. */
const againAfterMs = 1_000;

/**
 * Keeps `stack.json` up to date. A full or read-only disk does not end the product: it is reported once, and the current state is written as soon as possible.
 * @param {string} path
 * @param {() => Parameters<typeof writeState>[1]} read returns the current state
 * @param {(line: string) => void} log
 * @returns {{ note: () => void, stop: () => void }} `note`: something has changed; `stop`: the file is not written any more
 */
export function keepState(path, read, log) {
  /** @type {NodeJS.Timeout | undefined} */
  let again;
  let isStopped = false;
  const note = () => {
    if (isStopped) return;
    const wasBehind = again !== undefined;
    clearTimeout(again);
    again = undefined;
    try {
      writeState(path, read());
      if (wasBehind) log(`${path} is written again`);
    } catch (error) {
      if (!wasBehind) log(`${path} cannot be written, which is tried until it can: ${wordsOf(error)}`);
      again = setTimeout(note, againAfterMs);
      again.unref();
    }
  };
  return {
    note,
    stop() {
      isStopped = true;
      clearTimeout(again);
    },
  };
}

/** @param {string} path */
export function removeState(path) {
  rmSync(path, { force: true });
}

/**
 * The recorded state of the stack that is running, undefined if none is.
 * @param {string} path of `stack.json`
 * @returns {StackState | undefined}
 */
export function runningState(path) {
  if (!leftIn(path).some(({ pid, birth }) => isStillRunning(pid, birth))) return undefined;
  return JSON.parse(readFileSync(path, "utf8"));
}

/**
 * Ends the processes that an earlier stack, which died without cleaning up, has left running. A pid counts only together with the birth
 * recorded for it. Call while holding the data directory's lock.
 * @param {string} path of `stack.json`
 * @param {(line: string) => void} log
 */
export async function endLeftovers(path, log) {
  const left = leftIn(path).filter(({ pid, birth }) => isStillRunning(pid, birth));
  if (left.length === 0) return;
  log(`Ending what an earlier start has left running: ${left.map(({ name, pid }) => `${name} (${pid})`).join(", ")}`);
  // Postgres takes INT as "fast" shutdown: it disconnects clients instead of waiting for them.
  for (const { name, pid } of left) send(pid, name === "postgres" ? "SIGINT" : "SIGTERM");
  const gone = await until(() => (left.some(({ pid, birth }) => isStillRunning(pid, birth)) ? undefined : true), {
    timeoutMs: 5_000,
    everyMs: 50,
  });
  if (gone) return;
  for (const { name, pid, birth } of left)
    if (isStillRunning(pid, birth)) send(pid, name === "postgres" ? "SIGQUIT" : "SIGKILL");
  await until(() => (left.some(({ pid, birth }) => isStillRunning(pid, birth)) ? undefined : true), {
    timeoutMs: 5_000,
    everyMs: 50,
  });
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // gone in the meantime
  }
}

/** Identifies the folder that a file was written in, to tell it from a copy of that folder. */
/** @param {string} path */
function folderOf(path) {
  const { dev, ino } = statSync(dirname(path));
  return `${dev}:${ino}`;
}

/**
 * The recorded processes. In a copy of a data directory that was in use they belong to the original, so none are returned.
 * @param {string} path
 * @returns {{ name: string, pid: number, birth: string }[]}
 */
function leftIn(path) {
  try {
    const { parts, folder } = JSON.parse(readFileSync(path, "utf8"));
    if (folder !== undefined && folder !== folderOf(path)) return [];
    return parts.filter(
      (/** @type {{ pid: unknown, birth: unknown }} */ { pid, birth }) =>
        typeof pid === "number" && typeof birth === "string",
    );
  } catch {
    return [];
  }
}
