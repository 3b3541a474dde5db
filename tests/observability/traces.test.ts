import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type CollectedSpan, startCollector } from "../support/collector.js";
import { register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

describe("traces", () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let product: Product;
  let site: Site;

  beforeAll(async () => {
    collector = await startCollector();
    [product, site] = await Promise.all([
      startProduct({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }),
      startSite({ "/": "<title>One</title><p>first" }),
    ]);
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
    await collector.close();
  });

  /** Asks for a snapshot as a browser with a trace of its own would. @returns the spans of that trace, once the snapshot is compared */
  async function traceOfSnapshot(id: string): Promise<CollectedSpan[]> {
    const traceId = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
    const response = await fetch(`${product.address}/api/testobjects/${id}/snapshot-one`, {
      method: "POST",
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    });
    expect(response.ok).toBe(true);
    const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
    await until("the whole trace", () =>
      ["POST request", "handle fetch", "fetch", "handle diff"].every((name) =>
        ofTrace().some((span) => span.name === name),
      ),
    );
    return ofTrace();
  }

  test("one trace leads from the request over the bus to the snapshot and what changed", async () => {
    const id = await register(product, site.url);
    await traceOfSnapshot(id);
    site.pages.set("/", "<title>One</title><p>second");
    const spans = await traceOfSnapshot(id);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const pathOf = (span: CollectedSpan | undefined): string[] =>
      span === undefined ? [] : [...pathOf(byId.get(span.parentSpanId ?? "")), `${span.service}: ${span.name}`];
    expect(pathOf(spans.find(({ name }) => name === "compare"))).toEqual([
      "web-tester-gateway: POST request",
      "web-tester-gateway: publish fetch",
      "web-tester-fetcher: handle fetch",
      "web-tester-fetcher: publish diff",
      "web-tester-differ: handle diff",
      "web-tester-differ: compare",
    ]);
    expect(pathOf(spans.find(({ name }) => name === "fetch")).at(-2)).toBe("web-tester-fetcher: handle fetch");
    expect(new Set(spans.filter(({ name }) => name.startsWith("database ")).map(({ service }) => service))).toEqual(
      new Set(["web-tester-gateway", "web-tester-fetcher", "web-tester-differ"]),
    );
    expect(spans.find(({ name }) => name === "POST request")?.attributes["http.route"]).toBe(
      "/api/testobjects/:id/snapshot-one",
    );
  });

  test("a question to the differ is part of the trace of who asked", async () => {
    const [pair] = await product.db.query<{ a: string; b: string }>(
      `SELECT min(id::text) AS a, max(id::text) AS b FROM test_snapshot`,
    );
    await product.rest.call("getDiffHunks", { query: { a: pair?.a, b: pair?.b } });
    const answered = await until("the answer's span", () =>
      collector.spans.find(({ name }) => name === "answer ask.diff"),
    );
    const asked = await until("the question's span", () =>
      collector.spans.find(({ spanId }) => spanId === answered.parentSpanId),
    );
    expect(asked).toMatchObject({
      name: "ask ask.diff",
      service: "web-tester-gateway",
      traceId: answered.traceId,
    });
  });

  test("spans carry no secrets and no content", async () => {
    const secret = "do-not-tell-4711";
    const id = await register(product, site.url, "Secret");
    await product.rest.call("updateTestObject", {
      params: { id },
      body: { auth_enabled: true, auth_type: "bearer", auth_password: secret },
    });
    await traceOfSnapshot(id);
    const everything = JSON.stringify(collector.spans);
    expect(everything).toContain("handle fetch");
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain("<p>");
  });
});

test("without a collector nothing of OpenTelemetry is loaded", async () => {
  const { noTracer, openTracer } = await import("@web-tester/platform/tracing/tracer");
  expect(await openTracer("tester", undefined, () => undefined)).toBe(noTracer);
  expect(await noTracer.span("work", {}, async () => 7)).toBe(7);
  expect(noTracer.carry()).toBeNull();
});
