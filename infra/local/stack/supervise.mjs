// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { lastLineOf, sizeOf } from "./logs.mjs";
import { wordsOf } from "./start-error.mjs";

/** Delay before the first restart; it doubles with each further one … */
const firstDelayMs = 200;
/** … up to this limit. */
const longestDelayMs = 5_000;
/** A program that ran this long was healthy: after its next death the delay begins with the shortest again. */
const healthyAfterMs = 30_000;
/** A program that the hard signal has not ended after this long is killed. */
const lastResortMs = 500;
const reasonMaxChars = 300;

/**
 * @typedef {object} Program
 * @property {string} name as shown and as in `stack.json`
 * @property {() => import("node:child_process").ChildProcess} spawn starts it; synchronous; if it throws, it is tried again later
 * @property {"TERM" | "INT" | "QUIT"} stopSignal asks it to end cleanly
 * @property {number} stopWithinMs after this long a clean end is no longer waited for
 * @property {"KILL" | "QUIT"} hardSignal how it is ended in that case
 * @property {string} [logFile] where it writes why it ends
 */

/**
 * @typedef {object} Supervised
 * @property {string} name
 * @property {() => number | undefined} pid undefined between death and restart
 * @property {() => number} deaths how often it ended by itself since it was last healthy
 * @property {() => string} lastEnd how it last ended, in words
 * @property {() => void} restart kills it; it is started again as after any death
 * @property {() => Promise<void>} stop ends it for good; resolves when it is gone
 * @property {() => void} kill ends it for good, at once
 */

/**
 * Runs a program and restarts it whenever it ends by itself, until it is told to stop.
 * @param {Program} program
 * @param {{ log: (line: string) => void, watchdog: import("./watchdog.mjs").Watchdog, onChange: () => void }} around
 *   `onChange`: its pid has changed
 * @returns {Supervised}
 */
export function supervise(program, { log, watchdog, onChange }) {
  const stopping = new AbortController();
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child;
  let deaths = 0;
  let lastEnd = "";

  function start() {
    const startedAt = performance.now();
    const logSize = sizeOf(program.logFile);
    const current = spawned();
    if (current === undefined) return;
    child = current;
    const pid = current.pid;
    if (pid !== undefined) watchdog.guard(pid, program.stopSignal);
    let ended = false;
    /** @param {string} how @param {boolean} [signalled] */
    const end = (how, signalled = false) => {
      if (ended) return;
      ended = true;
      if (pid !== undefined) watchdog.release(pid, program.stopSignal);
      child = undefined;
      lastEnd = how;
      if (!stopping.signal.aborted) {
        if (performance.now() - startedAt > healthyAfterMs) deaths = 0;
        deaths += 1;
        void restart(signalled ? how : withReason(how, logSize), signalled ? undefined : program.logFile);
      }
      onChange();
    };
    current.once("exit", (code, signal) =>
      end(signal === null ? `exit code ${code}` : `killed by ${signal}`, signal !== null),
    );
    current.once("error", (error) => end(error.message));
    onChange();
  }

  /** Spawns the program; if that fails, as on a full disk, it is tried again as after a death. */
  function spawned() {
    try {
      return program.spawn();
    } catch (error) {
      lastEnd = wordsOf(error);
      deaths += 1;
      void restart(lastEnd);
      return undefined;
    }
  }

  /** @param {string} how @param {number} logSize size of its log when it was started */
  function withReason(how, logSize) {
    const reason = program.logFile === undefined ? "" : lastLineOf(program.logFile, logSize);
    return reason === "" ? how : `${how}: ${reason.slice(0, reasonMaxChars)}`;
  }

  /** @param {string} how @param {string} [logFile] */
  async function restart(how, logFile) {
    const delayMs = Math.min(firstDelayMs * 2 ** (deaths - 1), longestDelayMs);
    const more = logFile === undefined ? "" : ` (log: ${logFile})`;
    log(`${program.name} stopped by itself (${how}); starting it again in ${delayMs / 1000} s${more}`);
    try {
      await sleep(delayMs, undefined, { signal: stopping.signal });
    } catch {
      return;
    }
    start();
  }

  start();
  return {
    name: program.name,
    pid: () => child?.pid,
    deaths: () => deaths,
    lastEnd: () => lastEnd,
    restart: () => void child?.kill("SIGKILL"),
    async stop() {
      stopping.abort();
      const current = child;
      if (current === undefined) return;
      const gone = new Promise((resolve) => current.once("exit", resolve).once("error", resolve));
      current.kill(`SIG${program.stopSignal}`);
      const giveUp = setTimeout(() => {
        log(`${program.name} did not stop within ${program.stopWithinMs / 1000} s; killing it`);
        current.kill(`SIG${program.hardSignal}`);
      }, program.stopWithinMs);
      // A frozen program reacts to no other signal.
      const last = setTimeout(() => current.kill("SIGKILL"), program.stopWithinMs + lastResortMs);
      await gone;
      clearTimeout(giveUp);
      clearTimeout(last);
    },
    kill() {
      stopping.abort();
      child?.kill(`SIG${program.hardSignal}`);
    },
  };
}
