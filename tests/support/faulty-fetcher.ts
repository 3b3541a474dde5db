import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { Product } from "./product.js";

/**
 * Where a fetcher kills itself with SIGKILL: after its n-th blob and before any row for it, or after its n-th commit and before the
 * acknowledgement.
 */
export type Fault = { after: "blob" | "commit"; count: number };

const alive = new Set<ChildProcess>();

/** Ends the processes that a failed test left behind, because whoever waits for the output of the tests would wait for them too. */
export async function endFetcherProcesses(): Promise<void> {
  await Promise.all(
    [...alive].map(async (child) => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }),
  );
}

/** Starts a fetcher that kills itself at a point; without a fault it is an ordinary one. */
export function startFetcherProcess(
  product: Product,
  fault?: Fault,
): { child: ChildProcess; ended: Promise<NodeJS.Signals | null> } {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, "faulty-fetcher-main.mjs")], {
    env: {
      ...product.workerEnv(),
      ...(fault === undefined ? {} : { FAULT_AFTER: fault.after, FAULT_COUNT: String(fault.count) }),
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  alive.add(child);
  child.once("exit", () => alive.delete(child));
  const ended = once(child, "exit").then(([, signal]) => signal as NodeJS.Signals | null);
  return { child, ended };
}
