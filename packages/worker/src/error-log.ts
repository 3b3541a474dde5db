import type { Logger } from "@web-tester/platform/log/logger";

/**
 * Reports an error of work that goes on by itself.
 * @param message what failed, the same for errors of one kind
 * @param about which of several things of that kind failed
 */
export type OnError = (message: string, error: unknown, about?: string) => void;

/** After so long without an error of its kind, an outage counts as over. */
const quietMs = 15_000;
/** While an outage lasts, its errors are logged again after so long. */
const repeatMs = 60_000;
/** So many different errors of one kind are logged in that time; they may have ids in their texts. */
const textsMax = 10;

/** Errors of one kind that follow each other. */
interface Outage {
  /** Texts of the errors that were logged since `toldAt`. */
  told: Set<string>;
  toldAt: number;
  /** How many there were, logged or not. */
  times: number;
  about: Set<string>;
  lastAt: number;
  timer: NodeJS.Timeout;
}

/**
 * Logs errors, so that an outage is a few lines: an error with the same message and text as one of the last minute is only counted, and
 * when there were none for 15 s, one line says how many there were and when the last one was. A server that is away makes every loop of a
 * process fail every few seconds, and hundreds of equal lines hide the one that says why.
 */
export function createErrorLog(log: Logger): OnError {
  const outages = new Map<string, Outage>();

  function end(message: string, { times, about, lastAt }: Outage): void {
    outages.delete(message);
    if (times === 1) return;
    const until = new Date(lastAt).toISOString();
    log.warn(
      { times, until, ...(about.size === 0 ? {} : { about: [...about] }) },
      `“${message}” happened ${times} times until ${until}, and not again for ${quietMs / 1000} s`,
    );
  }

  function begin(message: string): Outage {
    const now = Date.now();
    const outage: Outage = {
      told: new Set(),
      toldAt: now,
      times: 0,
      about: new Set(),
      lastAt: now,
      timer: setTimeout(() => end(message, outage), quietMs).unref(),
    };
    outages.set(message, outage);
    return outage;
  }

  return (message, error, about) => {
    const outage = outages.get(message) ?? begin(message);
    outage.timer.refresh();
    outage.lastAt = Date.now();
    outage.times += 1;
    if (about !== undefined) outage.about.add(about);
    // the clock may have been set back meanwhile
    if (Math.abs(outage.lastAt - outage.toldAt) >= repeatMs) {
      outage.told.clear();
      outage.toldAt = outage.lastAt;
    }
    const text = String(error);
    if (outage.told.has(text) || outage.told.size >= textsMax) return;
    outage.told.add(text);
    log.error({ err: error, ...(about === undefined ? {} : { about }) }, message);
  };
}
