import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** The metrics that one process exposes to Prometheus. Names get the prefix `web_tester_`; registering the same name twice throws. */
export interface Metrics {
  /** For `createHealthServer` and `GET /metrics`. */
  registry: Registry;
  /** A counter. By Prometheus' convention its name ends in `_total`. */
  counter<Label extends string = never>(name: string, help: string, labels?: readonly Label[]): Counter<Label>;
  /** A histogram of durations in seconds (the name ends in `_seconds`), or of another unit with its own `buckets` (ascending upper bounds). */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>;
  /** A gauge that is read at each scrape; when `read` fails, the last value stays. */
  gauge(name: string, help: string, read: () => number | Promise<number>): Gauge;
  /**
   * Gauges of one name that differ by labels, read at each scrape. Label values that `read` no longer returns disappear; when `read` fails,
   * the last values stay.
   */
  gauges<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: () => readonly LabelledNumber<Label>[] | Promise<readonly LabelledNumber<Label>[]>,
  ): Gauge<Label>;
}

/** A number with its labels. Label values must come from small closed sets, never addresses, ids or texts: Prometheus keeps every distinct one forever. */
type LabelledNumber<Label extends string> = Record<Label, string> & { value: number };

const prefix = "web_tester_";
/**
 * Milliseconds between two measurements of the event loop's delay, which are part of the delay shown. Each measurement wakes the process: at
 * 50 ms, about a tenth of what an idle service costs went into that.
 */
const loopLookMs = 200;
/** Histogram bounds in seconds, from one batched row to the longest deadline. */
const durationBuckets = [0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Creates the metrics of this process, which include those of Node itself (CPU, memory, event loop, garbage collection).
 * @param service becomes the label `service` of every number
 */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopLookMs });
  const registers = [registry];
  return {
    registry,
    counter: (name, help, labels = []) => new Counter({ name: prefix + name, help, labelNames: labels, registers }),
    histogram: (name, help, labels = [], buckets = durationBuckets) =>
      new Histogram({ name: prefix + name, help, labelNames: labels, buckets: [...buckets], registers }),
    gauge: (name, help, read) =>
      new Gauge({
        name: prefix + name,
        help,
        registers,
        collect() {
          return unlessBroken(async () => this.set(await read()));
        },
      }),
    gauges: (name, help, labels, read) =>
      new Gauge({
        name: prefix + name,
        help,
        labelNames: labels,
        registers,
        collect() {
          return unlessBroken(async () => {
            const found = await read();
            this.reset();
            for (const number of found) this.set(pick(number, labels), number.value);
          });
        },
      }),
  };
}

/** Runs one metric's reading; its failure must not hide all other metrics. */
async function unlessBroken(show: () => Promise<void>): Promise<void> {
  await show().catch(() => undefined);
}

function pick<Label extends string>(from: Record<Label, string>, labels: readonly Label[]): Record<Label, string> {
  return Object.fromEntries(labels.map((label) => [label, from[label]])) as Record<Label, string>;
}
