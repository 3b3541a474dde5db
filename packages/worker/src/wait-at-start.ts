import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@web-tester/contracts/errors";
import type { Logger } from "@web-tester/platform/log/logger";

const firstDelayMs = 250;
const maxDelayMs = 5_000;
/** The same reason is logged again after so long. */
const repeatMs = 60_000;

export interface StartWait {
  log: Logger;
  /** Ends the waiting; rejects with its reason. */
  signal: AbortSignal;
  /** Called once, before the first wait. */
  onWait?(): Promise<void>;
}

/**
 * Does what a start needs of another part of the installation, and repeats it for as long as that part is unavailable: a process that
 * ended instead would be started over and over, ever more seldom, while PostgreSQL recovers after a crash. Any other error is thrown.
 * @param part as in "Waiting for the database"
 */
export async function waitAtStart<Result>(
  part: string,
  begin: () => Promise<Result>,
  { log, signal, onWait }: StartWait,
): Promise<Result> {
  let told = { reason: "", at: 0 };
  for (let delayMs = 0; ; delayMs = Math.min(maxDelayMs, delayMs * 2 || firstDelayMs)) {
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
      if (told.at === 0) await onWait?.();
      if (error.message === told.reason && performance.now() - told.at < repeatMs) continue;
      told = { reason: error.message, at: performance.now() };
      log.warn({ err: error }, `Waiting for ${part} before this service starts`);
    }
  }
}
