import type { ProductEvent } from "@web-tester/contracts/socket";

/** What the throttle needs of the world; real timers outside tests. */
export interface Clock {
  nowMs(): number;
  /** @returns a function that calls the timer off */
  after(delayMs: number, run: () => void): () => void;
}

type Progress = Extract<ProductEvent, { type: `${string}:progress` }>;

/**
 * Lets the newest progress of each run through at most every `everyMs`, everything else at once. Counters are absolute, so
 * leaving out older ones loses nothing; the last progress of a run, and what comes after it, is never held back.
 */
export class ProgressThrottle {
  private readonly lastSent = new Map<string, number>();
  private readonly waiting = new Map<string, Progress>();
  private cancelTimer: (() => void) | null = null;

  constructor(
    private readonly everyMs: number,
    private readonly clock: Clock,
    private readonly emit: (event: ProductEvent) => void,
  ) {}

  push(event: ProductEvent): void {
    if (!isProgress(event)) {
      if ("runId" in event) this.release(event.runId);
      this.emit(event);
      return;
    }
    const key = `${event.type} ${event.runId}`;
    if (!event.running) {
      this.waiting.delete(key);
      this.lastSent.delete(key);
      this.emit(event);
      return;
    }
    const last = this.lastSent.get(key);
    if (last !== undefined && this.clock.nowMs() - last < this.everyMs) {
      this.waiting.set(key, event);
      this.cancelTimer ??= this.clock.after(this.everyMs, () => this.flush());
      return;
    }
    this.send(key, event);
  }

  stop(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
  }

  private flush(): void {
    this.cancelTimer = null;
    const now = this.clock.nowMs();
    for (const [key, event] of [...this.waiting]) this.send(key, event);
    // runs that fell silent
    for (const [key, at] of this.lastSent) if (now - at > 100 * this.everyMs) this.lastSent.delete(key);
  }

  /** What waits for a run goes before what is said next of it. */
  private release(runId: string): void {
    for (const [key, event] of [...this.waiting]) if (event.runId === runId) this.send(key, event);
  }

  private send(key: string, event: Progress): void {
    this.waiting.delete(key);
    this.lastSent.set(key, this.clock.nowMs());
    this.emit(event);
  }
}

export function isProgress(event: ProductEvent): event is Progress {
  return event.type.endsWith(":progress");
}
