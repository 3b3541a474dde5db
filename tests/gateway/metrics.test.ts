import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { crawl, fetchAll, reached, register, runEnded, startFetch } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { readSamples, type Sample, scrape, sum } from "../support/scrape.js";
import { manual, slowly, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** The only fields that the scaler `metrics-api` of KEDA 2.14 and newer takes (keda.sh/docs, "Metrics API"; pkg/scalers/metrics_api_scaler.go). */
const scaledObject = z.object({
  apiVersion: z.literal("keda.sh/v1alpha1"),
  kind: z.literal("ScaledObject"),
  spec: z.object({
    triggers: z.array(
      z.strictObject({
        type: z.literal("metrics-api"),
        metadata: z.strictObject({
          url: z.url(),
          format: z.literal("prometheus"),
          valueLocation: z.string(),
          targetValue: z.string().regex(/^\d+$/),
        }),
      }),
    ),
  }),
});

/** Parses `name{label="value",…}`, a `valueLocation` of the format `prometheus`: KEDA compares its labels for equality, whatever the operator. */
function readSelector(text: string): { name: string; labels: Record<string, string> } {
  const [, name = "", labels = ""] = /^([a-zA-Z_:][\w:]*)\{((?:\w+="[^"]*",?)*)\}$/.exec(text) ?? [];
  expect([text, name]).not.toEqual([text, ""]);
  return {
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
  };
}

/** The metrics that operators, the dashboard, the alert rules and the autoscaler read: each exists and moves with what it counts. */
describe("metrics", () => {
  const pageCount = 24;
  let product: Product;
  let site: Site;
  let before: Sample[];

  beforeAll(async () => {
    [product, site] = await Promise.all([startProduct(), startSite(manual(pageCount, "first"))]);
    before = await scrape(product);
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
  });

  const moved = async (name: string, labels: Record<string, string> = {}) =>
    (sum(await scrape(product), name, labels) ?? 0) - (sum(before, name, labels) ?? 0);

  test("count pages, loads, messages, comparisons, storage and requests of a job", async () => {
    const id = await register(product, site.url);
    await crawl(product, id);
    await fetchAll(product, id);
    site.pages.set("/p1.html", manual(pageCount, "second")["/p1.html"] ?? "");
    site.pages.delete("/p2.html");
    await fetchAll(product, id);
    const [instance] = (await product.rest.call("listTestInstances", { params: { id }, query: { status: "changed" } }))
      .items;
    await product.rest.call("getDiffHunks", {
      query: { instance1: instance?.id, snapshot1: "1", instance2: instance?.id, snapshot2: "0" },
    });

    const after = await scrape(product);
    const grown = (name: string, labels: Record<string, string> = {}) =>
      (sum(after, name, labels) ?? 0) - (sum(before, name, labels) ?? 0);
    expect({
      crawled: grown("web_tester_pages_total", { service: "crawler", end: "done" }),
      fetched: grown("web_tester_pages_total", { service: "fetcher", end: "done" }),
      failed: grown("web_tester_pages_total", { service: "fetcher", end: "failed" }),
      loads: grown("web_tester_load_seconds_count", { service: "fetcher", mode: "http" }),
      recorded: grown("web_tester_compare_seconds_count", { purpose: "record", outcome: "exact" }),
      answered: grown("web_tester_compare_seconds_count", { purpose: "answer", outcome: "exact" }),
    }).toEqual({
      crawled: pageCount,
      fetched: 2 * pageCount - 1,
      failed: 1,
      loads: 2 * pageCount,
      recorded: 1,
      answered: 1,
    });
    for (const message of ["crawl", "fetch", "diff"])
      expect(grown("web_tester_message_seconds_count", { message, end: "done" })).toBeGreaterThan(0);
    // only the fetcher is counted: the differ writes search texts at a time that no test knows
    const writes = { service: "fetcher", operation: "write", outcome: "done" };
    expect(grown("web_tester_storage_seconds_count", writes)).toBe(pageCount + 1);
    expect(
      grown("web_tester_http_request_seconds_count", {
        method: "POST",
        route: "/api/testobjects/:id/snapshot-all",
        status: "2xx",
      }),
    ).toBe(2);
    expect(sum(after, "web_tester_database_connections", { service: "gateway" })).toBeGreaterThan(0);
    expect(sum(after, "nodejs_eventloop_lag_p99_seconds", { service: "fetcher" })).toBeGreaterThan(0);
  });

  test("show what waits, how long, and how much of it more workers could take", async () => {
    const patient = await startSite(slowly(manual(pageCount, "slow"), 400));
    try {
      const id = await register(product, patient.url, "Slow");
      await crawl(product, id);
      const runId = await startFetch(product, id);
      await reached(product, runId, 1);
      const lane = { lane: "fetch-bulk" };
      await until("the queue to be seen", async () => {
        const samples = await scrape(product);
        return (
          (sum(samples, "web_tester_queue_messages", lane) ?? 0) > 0 &&
          (sum(samples, "web_tester_queue_workable", lane) ?? 0) > 0
        );
      });
      await runEnded(product, runId);
      const samples = await until("the queue to be empty", async () => {
        const found = await scrape(product);
        return sum(found, "web_tester_queue_messages", lane) === 0 ? found : undefined;
      });
      expect(sum(samples, "web_tester_queue_workable", lane)).toBe(0);
    } finally {
      await patient.close();
    }
  });

  test("are read by KEDA: each trigger names one number, in the form that its scaler takes", async () => {
    const file = resolve(import.meta.dirname, "../../infra/k8s/components/keda/scaled-objects.yaml");
    const triggers = parseAllDocuments(await readFile(file, "utf8")).flatMap(
      (document) => scaledObject.parse(document.toJS()).spec.triggers,
    );
    expect(triggers).toHaveLength(3);
    const response = await fetch(`${product.address}/metrics`);
    const text = await response.text();
    // older versions of the scaler read the last line only if it ends with a newline
    expect(text.endsWith("\n")).toBe(true);
    for (const { metadata } of triggers) {
      const { name, labels } = readSelector(metadata.valueLocation);
      expect(text).toContain(`# TYPE ${name} gauge\n`);
      // exactly one sample may fit: of several, the scaler would take the first
      const fit = readSamples(text).filter(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
      );
      expect(fit.map(({ value }) => Number.isFinite(value))).toEqual([true]);
    }
  });

  test("show rows that wait although no message names them, and count their recovery", async () => {
    const id = await register(product, site.url, "Again");
    await crawl(product, id);
    const crawler = product.pidOf("crawler");
    // the crawler would recover the row at once, so it is stopped until the metric has shown it
    process.kill(crawler, "SIGSTOP");
    await product.db.query(
      `UPDATE crawl_page SET state = 'queued', queued_at = now() - interval '1 hour', attempts = 0
       WHERE id = (SELECT p.id FROM crawl_page p JOIN run r ON r.id = p.run_id WHERE r.test_object_id = $1 LIMIT 1)`,
      [id],
    );
    try {
      await until("the lost row to be seen", async () => {
        const samples = await scrape(product, "gateway");
        return (
          sum(samples, "web_tester_queue_rows", { lane: "crawl" }) === 1 &&
          (sum(samples, "web_tester_queue_oldest_seconds", { lane: "crawl" }) ?? 0) >= 3600
        );
      });
    } finally {
      process.kill(crawler, "SIGCONT");
    }
    const recovered = await until(
      "its recovery to be counted",
      async () => (await moved("web_tester_rows_recovered_total", { message: "crawl", why: "lost" })) >= 1,
    );
    expect(recovered).toBe(true);
  });

  test("count retries and hit budgets", async () => {
    const endless = await startSite({
      "/": (_request, response) => {
        response.writeHead(302, { location: "/" }).end();
      },
      "/busy": (_request, response) => {
        response.writeHead(503, { "content-type": "text/html" }).end();
      },
    });
    try {
      for (const path of ["", "busy"]) {
        const id = await register(product, `${endless.url}${path}`, "Endless");
        await product.rest.call("snapshotOne", { params: { id } });
      }
      await until(
        "a retry to be counted",
        async () => (await moved("web_tester_retries_total", { service: "fetcher" })) > 0,
      );
      await until(
        "a budget to be counted",
        async () => (await moved("web_tester_budget_hits_total", { service: "fetcher", budget: "redirects" })) > 0,
      );
      expect(await moved("web_tester_budget_hits_total", { service: "fetcher", budget: "redirects" })).toBe(1);
    } finally {
      await endless.close();
    }
  });

  test("count open websockets, and bytes that are kept", async () => {
    const open = async () => sum(await scrape(product), "web_tester_sockets_open");
    expect(await open()).toBe(0);
    const socket = new WebSocket(`${product.address.replace("http", "ws")}/ws`);
    await until("the socket to be counted", async () => (await open()) === 1);
    socket.close();
    await until("it to be gone", async () => (await open()) === 0);
    for (const kept of ["database", "objects", "log"])
      expect([kept, sum(await scrape(product), "web_tester_stored_bytes", { kept })]).toEqual([
        kept,
        expect.any(Number),
      ]);
  });

  test("are all that the dashboard, the alert rules and the autoscaler ask for", async () => {
    const folder = resolve(import.meta.dirname, "../../infra");
    const files = [
      "observability/dashboard.json",
      "observability/alerts.yaml",
      "k8s/components/keda/scaled-objects.yaml",
    ];
    const asked = new Set<string>();
    for (const file of files) {
      const text = await readFile(join(folder, file), "utf8");
      for (const [name] of text.matchAll(/\b(?:web_tester|nodejs|process)_[a-z0-9_]+/g)) asked.add(name);
      // every label that a query filters by is one that the metric has
      for (const [, name = "", label = ""] of text.matchAll(/\b(web_tester_[a-z0-9_]+)\{([a-z]+)[=!]/g))
        expect([
          file,
          name,
          label,
          (await scrape(product)).some((sample) => sample.name === name && label in sample.labels),
        ]).toEqual([file, name, label, true]);
    }
    const shown = new Set((await scrape(product)).map(({ name }) => name));
    expect(asked.size).toBeGreaterThan(15);
    expect([...asked].filter((name) => !shown.has(name))).toEqual([]);
  });

  test("never take a number's name from what a caller wrote", async () => {
    const odd = ["/api/testobjects/not-an-id", "/api/nothing-here", "/wp-admin/setup.php?x=1"];
    for (const path of odd) await fetch(product.address + path);
    await fetch(`${product.address}/api/testobjects`, { method: "PROPFIND" });
    const seen = (await scrape(product)).flatMap(({ name, labels }) =>
      name === "web_tester_http_request_seconds_count" ? [labels] : [],
    );
    const values = new Set(seen.flatMap((labels) => Object.values(labels)));
    expect([...values].filter((value) => /not-an-id|nothing|wp-admin|PROPFIND/.test(value))).toEqual([]);
    expect(values).toContain("/api/testobjects/:id");
  });
});
