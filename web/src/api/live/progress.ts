import type { TestObject } from "@web-tester/contracts/entities/object";
import type { ObjectProgress, Progress } from "@web-tester/contracts/entities/run";
import type { ProductEvent } from "@web-tester/contracts/socket";

export type BarName = keyof ObjectProgress;
export const barNames: readonly BarName[] = ["crawl", "sitemaps", "snapshotAll", "rules", "deletion"];

type CounterEvent = Extract<ProductEvent, { completed: number }>;

/** The bar that an event's counters belong to; undefined where it has none. */
export function barOf(event: ProductEvent): BarName | undefined {
  switch (event.type) {
    case "fetch:progress":
    case "snapshotAll:queued":
      return "snapshotAll";
    case "crawl:progress":
      return "crawl";
    case "sitemaps:progress":
    case "sitemaps:completed":
      return "sitemaps";
    case "rules:progress":
      return "rules";
    case "deleteAll:progress":
    case "deleteAll:completed":
      return "deletion";
    default:
      return undefined;
  }
}

const hasCounters = (event: ProductEvent): event is CounterEvent => "completed" in event;

function countersOf(event: ProductEvent): Progress | undefined {
  if (event.type === "snapshotAll:queued")
    return { completed: 0, total: event.created, failed: 0, running: event.created > 0, runId: event.runId };
  if (!hasCounters(event)) return undefined;
  const completed = Math.min(event.completed, event.total);
  // Fetching is over when completed equals total, whatever the flag says (specification §4).
  const over =
    event.type.endsWith(":completed") ||
    (event.type === "fetch:progress" && event.total > 0 && completed === event.total);
  return {
    completed,
    total: event.total,
    failed: Math.min(event.failed, completed),
    running: event.running && !over,
    runId: event.runId,
    ...(event.type === "rules:progress" && event.kind !== undefined ? { kind: event.kind } : {}),
  };
}

/**
 * Chooses the newer of two states of one bar. Counters are absolute and only grow within a run, so that late or repeated events are
 * recognised by smaller counters; a small run beside a large one (one snapshot while all are fetched) does not replace the large bar.
 */
export function newerProgress(current: Progress, next: Progress): Progress {
  if (current.runId === next.runId) {
    if (next.completed < current.completed) return current;
    if (
      next.completed === current.completed &&
      !current.running &&
      next.running &&
      current.runId !== null &&
      current.total === next.total
    )
      return current;
    return next;
  }
  if (current.running && current.runId !== null && next.total < current.total && current.total > 1 && next.total <= 1)
    return current;
  return next;
}

/** Applies an event to an object's progress; returns the same object where nothing changed. */
export function applyEvent(progress: ObjectProgress, event: ProductEvent): ObjectProgress {
  const bar = barOf(event);
  const counters = countersOf(event);
  if (bar === undefined || counters === undefined) return progress;
  const next = newerProgress(progress[bar], counters);
  return next === progress[bar] ? progress : { ...progress, [bar]: next };
}

/** Applies events to a test object; numbers that events do not carry stay until the next read. */
export function applyEvents(object: TestObject, events: readonly ProductEvent[]): TestObject {
  let progress = object.progress;
  let found = object.instances_total;
  for (const event of events) {
    if (event.testobjectId !== object.id) continue;
    progress = applyEvent(progress, event);
    if (event.type === "crawl:progress") found = Math.max(found, event.found);
  }
  return progress === object.progress && found === object.instances_total
    ? object
    : { ...object, progress, instances_total: found };
}

/** Merges a fresh read with what events have told since it was requested, so that progress never goes back within a run. */
export function mergeRead(cached: TestObject | undefined, read: TestObject): TestObject {
  if (cached === undefined) return read;
  const progress = { ...read.progress };
  for (const bar of barNames) {
    const known = cached.progress[bar];
    if (known.runId !== null && known.runId === read.progress[bar].runId)
      progress[bar] = newerProgress(known, read.progress[bar]);
  }
  return { ...read, progress };
}

/**
 * The bars whose run has ended between two states, with their last counters. A run that appears only as ended counts too, because a
 * short one may be over before the call that started it is answered.
 */
export function endedBars(
  before: ObjectProgress,
  after: ObjectProgress,
): readonly { bar: BarName; progress: Progress }[] {
  return barNames.flatMap((bar) => {
    const [was, is] = [before[bar], after[bar]];
    const isNew = is.runId !== null && is.runId !== was.runId;
    return !is.running && (was.running || isNew) && was !== is ? [{ bar, progress: is }] : [];
  });
}
