import type { ProductEvent } from "@web-tester/contracts/socket";

type Progress = Extract<ProductEvent, { type: `${string}:progress` }>;
type Changed = Extract<ProductEvent, { type: "snapshot:changed" }>;
type Failed = Extract<ProductEvent, { type: "fetch:error" }>;

/** The most changes or failures in one frame, about 200 kB. */
export const toldTogetherMax = 1_000;
/** The most changes and failures that wait: a client that is this far behind reads everything again sooner than the events arrive. */
export const waitingMax = 20_000;

type Change = Changed["changes"][number];
type Failure = NonNullable<Failed["more"]>[number];

/** Waiting events. `bySnapshot`: what one frame tells together, the latest for each snapshot. */
type Waiting =
  | { kind: "event"; testobjectId: string; event: Exclude<ProductEvent, Changed | Failed> }
  | { kind: "changes"; testobjectId: string; bySnapshot: Map<string, Change> }
  | { kind: "failures"; testobjectId: string; bySnapshot: Map<string, Failure> };

/**
 * A queue that coalesces events without losing information: of a run's progress it keeps only the newest, for counters are absolute;
 * of repeated comparisons of a snapshot only the last; and it merges all changes of an object, and all its failures. First in, first
 * out, so that the events of a run keep their order.
 */
export class EventQueue {
  private readonly waiting = new Map<string, Waiting>();
  private counted = 0;

  push(event: ProductEvent): void {
    const { testobjectId } = event;
    if (event.type === "snapshot:changed") {
      const key = `changes ${testobjectId}`;
      const known = this.waiting.get(key);
      const bySnapshot = known?.kind === "changes" ? known.bySnapshot : new Map<string, Change>();
      this.counted += add(bySnapshot, event.changes);
      this.waiting.set(key, { kind: "changes", testobjectId, bySnapshot });
    } else if (event.type === "fetch:error") {
      const key = `failures ${testobjectId}`;
      const known = this.waiting.get(key);
      const bySnapshot = known?.kind === "failures" ? known.bySnapshot : new Map<string, Failure>();
      const { testinstanceId, snapshotId, url, message, more = [] } = event;
      this.counted += add(bySnapshot, [{ testinstanceId, snapshotId, url, message }, ...more]);
      this.waiting.set(key, { kind: "failures", testobjectId, bySnapshot });
    } else {
      const key = `${event.type} ${event.runId}`;
      // several processes report on one run, and progress may arrive after the run's end: it is ignored
      if (isEnd(this.waiting.get(key)) && isProgress(event) && event.running) return;
      this.waiting.set(key, { kind: "event", testobjectId, event });
    }
  }

  /** Takes the next event out of the queue; null where it is empty. */
  take(): ProductEvent | null {
    const [next] = this.waiting;
    if (next === undefined) return null;
    const [key, first] = next;
    this.waiting.delete(key);
    if (first.kind === "event") return first.event;
    const { testobjectId } = first;
    this.counted -= first.bySnapshot.size;
    const event =
      first.kind === "changes"
        ? takeChanges(testobjectId, first.bySnapshot)
        : takeFailures(testobjectId, first.bySnapshot);
    this.counted += first.bySnapshot.size;
    if (first.bySnapshot.size > 0) this.waiting.set(key, first);
    return event;
  }

  /** Drops the waiting events of an object. */
  drop(testobjectId: string): void {
    for (const [key, waiting] of [...this.waiting]) {
      if (waiting.testobjectId !== testobjectId) continue;
      this.waiting.delete(key);
      this.counted -= waiting.kind === "event" ? 0 : waiting.bySnapshot.size;
    }
  }

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  /** Whether more than {@link waitingMax} changes and failures wait. */
  get isOverfull(): boolean {
    return this.counted > waitingMax;
  }
}

export function isProgress(event: ProductEvent): event is Progress {
  return event.type.endsWith(":progress");
}

function isEnd(waiting: Waiting | undefined): boolean {
  return waiting?.kind === "event" && isProgress(waiting.event) && !waiting.event.running;
}

/**
 * Adds items, replacing those of the same snapshot.
 * @returns by how many the map grew
 */
function add<Item extends { snapshotId: string }>(bySnapshot: Map<string, Item>, items: readonly Item[]): number {
  const before = bySnapshot.size;
  for (const item of items) bySnapshot.set(item.snapshotId, item);
  return bySnapshot.size - before;
}

function takeSome<Item>(bySnapshot: Map<string, Item>): Item[] {
  const some = [...bySnapshot].slice(0, toldTogetherMax);
  for (const [snapshotId] of some) bySnapshot.delete(snapshotId);
  return some.map(([, item]) => item);
}

function takeChanges(testobjectId: string, bySnapshot: Map<string, Change>): Changed {
  return { type: "snapshot:changed", testobjectId, changes: takeSome(bySnapshot) };
}

function takeFailures(testobjectId: string, bySnapshot: Map<string, Failure>): Failed | null {
  const [first, ...more] = takeSome(bySnapshot);
  if (first === undefined) return null;
  return { type: "fetch:error", testobjectId, ...first, ...(more.length > 0 ? { more } : {}) };
}
