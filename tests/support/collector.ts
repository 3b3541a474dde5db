import { createServer } from "node:http";
import { z } from "zod";

const value = z.object({ stringValue: z.string().optional(), intValue: z.unknown().optional() }).loose();
const attributes = z.array(z.object({ key: z.string(), value }));
const body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              attributes: attributes.optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, string | undefined>;
}

/** Starts a collector of OpenTelemetry traces over HTTP and JSON, on a loopback port. */
export async function startCollector(): Promise<{
  endpoint: string;
  spans: CollectedSpan[];
  close(): Promise<void>;
}> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url === "/v1/traces") spans.push(...readSpans(Buffer.concat(chunks).toString("utf8")));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The collector has no port");
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    spans,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function readSpans(json: string): CollectedSpan[] {
  return body.parse(JSON.parse(json)).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = textsOf(resource.attributes)["service.name"] ?? "";
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId, attributes: own = [] }) => ({
        service,
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId === "" ? undefined : parentSpanId,
        attributes: textsOf(own),
      })),
    );
  });
}

function textsOf(pairs: z.infer<typeof attributes>): Record<string, string | undefined> {
  return Object.fromEntries(pairs.map(({ key, value: { stringValue } }) => [key, stringValue]));
}
