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

/** One service process under supervision, as `npm start` runs it, that can be made to run older code and to have a wrong clock. */
export interface Service extends Supervised {
  readyUrl: string;
  /** Shifts its wall clock while it runs; a process that is started again has the right one. */
  shiftClock(ms: number): void;
}

/** @param home a built checkout whose code runs */
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

/** A process with all its descendants, as /proc has them now (Linux). */
export function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // it has ended meanwhile
    }
  }
  const tree = [pid];
  for (const parent of tree) for (const [child, its] of parents) if (its === parent) tree.push(child);
  return tree;
}

/** Sends a signal to processes of ours; those that are gone do not matter. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // gone
    }
  }
}
