import { afterEach, expect, test } from "@jest/globals";
import { createMetrics } from "./metrics.js";

const metrics = createMetrics("tester");

afterEach(() => metrics.registry.resetMetrics());

test("shows counters and histograms under the product's prefix, with the service as label", async () => {
  const fetched = metrics.counter("pages_fetched_total", "Pages fetched", ["outcome"]);
  fetched.inc({ outcome: "done" }, 3);
  metrics.histogram("fetch_seconds", "Time of one fetch").observe(0.3);
  metrics.histogram("page_bytes", "Size of a page", [], [1_000, 10_000]).observe(5_000);
  const text = await metrics.registry.metrics();
  expect(text).toContain('web_tester_pages_fetched_total{outcome="done",service="tester"} 3');
  expect(text).toContain('web_tester_fetch_seconds_bucket{le="0.25",service="tester"} 0');
  expect(text).toContain('web_tester_fetch_seconds_bucket{le="0.5",service="tester"} 1');
  expect(text).toContain('web_tester_page_bytes_bucket{le="10000",service="tester"} 1');
  expect(text).toContain('process_cpu_user_seconds_total{service="tester"}');
});

test("reads gauges when asked, and keeps the rest when one cannot be read", async () => {
  let waiting = 7;
  metrics.gauge("queue_waiting", "Messages waiting", () => {
    if (waiting < 0) throw new Error("unreadable");
    return waiting;
  });
  expect(await metrics.registry.metrics()).toContain('web_tester_queue_waiting{service="tester"} 7');
  waiting = -1;
  expect(await metrics.registry.metrics()).toContain('web_tester_queue_waiting{service="tester"} 7');
  waiting = 8;
  expect(await metrics.registry.metrics()).toContain('web_tester_queue_waiting{service="tester"} 8');
});

test("reads numbers with labels when asked, forgets those that are gone, and keeps all when they cannot be read", async () => {
  let lanes: { lane: string; value: number }[] | null = [
    { lane: "now", value: 1 },
    { lane: "bulk", value: 2 },
  ];
  metrics.gauges("queue_rows", "Rows waiting", ["lane"], () => {
    if (lanes === null) throw new Error("unreadable");
    return lanes;
  });
  const shown = async () =>
    (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith("web_tester_queue_rows{"));
  expect(await shown()).toEqual([
    'web_tester_queue_rows{lane="now",service="tester"} 1',
    'web_tester_queue_rows{lane="bulk",service="tester"} 2',
  ]);
  lanes = [{ lane: "now", value: 3 }];
  expect(await shown()).toEqual(['web_tester_queue_rows{lane="now",service="tester"} 3']);
  lanes = null;
  expect(await shown()).toEqual(['web_tester_queue_rows{lane="now",service="tester"} 3']);
});

test("refuses the same name twice", () => {
  metrics.counter("twice_total", "x");
  expect(() => metrics.counter("twice_total", "x")).toThrow(/already been registered/);
});
