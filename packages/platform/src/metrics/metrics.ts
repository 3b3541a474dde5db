import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** The numbers one process shows to Prometheus. Names get the prefix `web_tester_`; making the same name twice throws. */
export interface Metrics {
  /** For `createHealthServer` and `GET /metrics`. */
  registry: Registry;
  /** Counts up. Prometheus' habit: the name ends in `_total`. */
  counter<Label extends string = never>(name: string, help: string, labels?: readonly Label[]): Counter<Label>;
  /** Distribution of durations in seconds (the name ends in `_seconds`), or of what `buckets` (ascending upper bounds) is for. */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>;
  /** A number read at each scrape; when `read` fails, the last value stays. */
  gauge(name: string, help: string, read: () => number | Promise<number>): Gauge;
  /** Numbers of one name, told apart by labels, read at each scrape; what is not among them any more is not shown; when `read` fails, the last ones stay. */
  gauges<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: () => readonly LabelledNumber<Label>[] | Promise<readonly LabelledNumber<Label>[]>,
  ): Gauge<Label>;
}

/** Label values are of small closed sets, never addresses, ids or texts: each distinct one is kept for ever by whoever scrapes. */
type LabelledNumber<Label extends string> = Record<Label, string> & { value: number };

const prefix = "web_tester_";
/** The event loop's delay is looked at so often; at the 10 ms of the library this alone is 0.3 % of a core for each idle process. The delay shown contains it. */
const loopLookMs = 50;
/** From one batched row to the longest deadline, in seconds. */
const durationBuckets = [0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Metrics of this process, with those of Node itself (CPU, memory, event loop, garbage collection) already in.
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

/** One broken number must not hide all the others. */
async function unlessBroken(show: () => Promise<void>): Promise<void> {
  await show().catch(() => undefined);
}

function pick<Label extends string>(from: Record<Label, string>, labels: readonly Label[]): Record<Label, string> {
  return Object.fromEntries(labels.map((label) => [label, from[label]])) as Record<Label, string>;
}
