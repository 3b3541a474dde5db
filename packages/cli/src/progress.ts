import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "@web-tester/contracts/entities/run";
import { type Call, CannotRun, Refused } from "./client.js";
import { printable } from "./report/reports.js";

const everyMs = 500;
const plainEveryMs = 5_000;

/** A stream for progress; results are written to another one, so that they can be piped. */
export interface Screen {
  isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Reports progress: rewrites one line of a terminal, or writes plain lines elsewhere. */
export function tell(screen: Screen, said: string, isOver: boolean): void {
  // the text contains names of sites, which other people choose
  const words = printable(said);
  if (screen.isTTY === true) screen.write(`\r\u001b[K${words}${isOver ? "\n" : ""}`);
  else screen.write(`${words}\n`);
}

/** Like `followRun`. @throws CannotRun when the run was stopped */
export async function waitForRun(...parts: Parameters<typeof followRun>): Promise<Run> {
  const run = await followRun(...parts);
  if (run.state === "cancelled") throw new CannotRun(`${parts[2]}: it was stopped.`);
  return run;
}

/**
 * Waits until a run is over, and reports its progress meanwhile.
 * @throws CannotRun when the run is gone
 */
export async function followRun(
  call: Call,
  runId: string,
  what: string,
  screen: Screen,
  signal: AbortSignal,
): Promise<Run> {
  let saidAt = 0;
  for (;;) {
    const run = await call("getRun", { params: { id: runId } }).catch((error: unknown) => {
      throw error instanceof Refused && error.status === 404
        ? new CannotRun(`${what}: the run is gone. Somebody may have deleted the test object.`)
        : error;
    });
    const words = `${what}: ${run.completed} of ${run.total}${run.failed > 0 ? `, ${run.failed} failed` : ""}`;
    const isOver = run.state !== "running";
    if (screen.isTTY === true || isOver || Date.now() - saidAt > plainEveryMs) {
      saidAt = Date.now();
      tell(screen, words, isOver);
    }
    if (isOver) return run;
    await sleep(everyMs, undefined, { signal });
  }
}

/** Waits until all pages of a finished fetch are compared, which takes a moment longer, and reports how many are left. @returns the run with its findings */
export async function waitForComparisons(call: Call, runId: string, screen: Screen, signal: AbortSignal): Promise<Run> {
  let saidAt = Date.now();
  let hasSaid = false;
  for (;;) {
    const { run, counts } = await call("getReview", { params: { id: runId }, query: { limit: 1 } });
    const isOver = counts.pending === 0 || run.state !== "finished";
    if (isOver ? hasSaid : screen.isTTY === true || Date.now() - saidAt > plainEveryMs) {
      [saidAt, hasSaid] = [Date.now(), true];
      tell(screen, `Compare: ${counts.pending} to go`, isOver);
    }
    if (isOver) return run;
    await sleep(everyMs, undefined, { signal });
  }
}
