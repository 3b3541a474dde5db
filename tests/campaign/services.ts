import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { programOf } from "../../infra/local/bundled.mjs";
import { withLogFile } from "../../infra/local/stack/logs.mjs";
import { nodeFlags, type ServicePlan } from "../../infra/local/stack/services.mjs";
import { type Supervised, supervise } from "../../infra/local/stack/supervise.mjs";
import type { Watchdog } from "../../infra/local/stack/watchdog.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const clockModule = fileURLToPath(new URL("shift-clock.mjs", import.meta.url));

/** A supervised service process, as `npm start` runs it, that can run an older version's code and can have a wrong clock. */
export interface Service extends Supervised {
  readyUrl: string;
  /** Shifts the wall clock of the running process; once restarted it has the right time again. */
  shiftClock(ms: number): void;
}

/** @param home the built checkout whose code is run */
export function runService(plan: ServicePlan, watchdog: Watchdog, log: (line: string) => void, home = root): Service {
  const main = programOf(`services/${plan.service}/dist/main.js`, home);
  if (!existsSync(main)) throw new Error(`${main} is missing: build first`);
  let child: ChildProcess | undefined;
  const supervised = supervise(
    {
      name: plan.name,
      spawn: () =>
        (child = withLogFile(plan.logFile, (output: number) =>
          spawn(process.execPath, [...nodeFlags(plan.service), "--import", clockModule, main], {
            cwd: home,
            detached: true,
            env: plan.env,
            stdio: ["ignore", output, output, "ipc"],
          }),
        )),
      stopSignal: "TERM",
      stopWithinMs: 5_000,
      hardSignal: "KILL",
    },
    { log, watchdog, onChange: () => undefined },
  );
  return {
    ...supervised,
    readyUrl: plan.readyUrl,
    shiftClock: (clockOffsetMs) => void child?.send({ clockOffsetMs }, () => undefined),
  };
}

/** Returns the IDs of a process and all its current descendants, from /proc (Linux). */
export function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // the process has ended meanwhile
    }
  }
  const tree = [pid];
  for (const parent of tree) for (const [child, its] of parents) if (its === parent) tree.push(child);
  return tree;
}

/** Sends a signal to processes; those that have ended are ignored. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // the process has ended
    }
  }
}
