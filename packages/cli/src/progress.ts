import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "@web-tester/contracts/entities/run";
import { type Call, CannotRun, Refused } from "./client.js";
import { printable } from "./report/reports.js";

const everyMs = 500;
const plainEveryMs = 5_000;

/** Where progress is written; results go elsewhere, so that they can be piped. */
export interface Screen {
  isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Says how far something is: in one line of a terminal, in plain lines elsewhere. */
export function tell(screen: Screen, said: string, isOver: boolean): void {
  // it names sites, and what they are called is up to others
  const words = printable(said);
  if (screen.isTTY === true) screen.write(`\r\u001b[K${words}${isOver ? "\n" : ""}`);
  else screen.write(`${words}\n`);
}

/** As `followRun`. @throws CannotRun where it was stopped */
export async function waitForRun(...parts: Parameters<typeof followRun>): Promise<Run> {
  const run = await followRun(...parts);
  if (run.state === "cancelled") throw new CannotRun(`${parts[2]}: it was stopped.`);
  return run;
}

/**
 * Waits until a run is over and says how far it is: in one line of a terminal, in plain lines elsewhere.
 * @throws CannotRun where it is gone
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

/** Waits until the pages of a fetch that has ended are all compared, which takes a moment longer, and says how many are not. @returns what it found */
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
