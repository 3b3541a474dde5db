import {
  type Context,
  context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span as ApiSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Span, SpanOptions, Tracer } from "./tracer.js";

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};
/** Short enough to look at a trace while the work still runs. */
const sendEveryMs = 1_000;
const closeWithinMs = 3_000;

/**
 * Sends spans to an OTLP/HTTP collector in JSON. `OTEL_TRACES_SAMPLER` decides which traces are kept; headers and time limits come from the
 * other variables of the OpenTelemetry specification ("OpenTelemetry Protocol Exporter").
 */
export function createOtelTracer(service: string, endpoint: string, onError: (message: string) => void): Tracer {
  const say = (message: string) => onError(message);
  const quiet = () => undefined;
  diag.setLogger({ error: say, warn: say, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = openProvider(service, endpoint);
  const tracer = provider.getTracer("web-tester");

  return {
    span(name, options, work) {
      const parent = contextOf(options);
      if (options.onlyWithin === true && trace.getSpan(parent) === undefined) return work({ set: () => undefined });
      const { kind = "internal", attributes = {} } = options;
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent);
      return context.with(trace.setSpan(parent, span), () => runIn(span, work));
    },
    carry,
    async close() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, closeWithinMs);
      await Promise.race([provider.shutdown().catch((error: unknown) => onError(String(error))), late]);
      clearTimeout(timer);
      context.disable();
    },
  };
}

const propagator = new W3CTraceContextPropagator();

function openProvider(service: string, endpoint: string): TracerProvider {
  return new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": `web-tester-${service}`,
      "service.namespace": "web-tester",
      "process.pid": process.pid,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces` }),
        scheduledDelayMillis: sendEveryMs,
      }),
    ],
  });
}

function contextOf({ carried }: SpanOptions): Context {
  if (carried === undefined) return context.active();
  return propagator.extract(ROOT_CONTEXT, carried, {
    get: (from, name) => from.get(name),
    keys: () => ["traceparent", "tracestate"],
  });
}

/** The current context as headers; null outside a trace. */
function carry(): Record<string, string> | null {
  if (trace.getSpan(context.active()) === undefined) return null;
  const carrier: Record<string, string> = {};
  propagator.inject(context.active(), carrier, {
    set: (to, name, value) => {
      to[name] = value;
    },
  });
  return carrier;
}

/** Runs the work and ends its span, recording the error if it throws. */
async function runIn<Result>(span: ApiSpan, work: (span: Span) => Promise<Result>): Promise<Result> {
  try {
    return await work({ set: (more) => span.setAttributes(more) });
  } catch (error) {
    span.recordException(error instanceof Error ? error : String(error));
    span.setStatus({
      code: SpanStatusCode.ERROR,
      message: error instanceof Error ? error.message : String(error),
    });
    throw error;
  } finally {
    span.end();
  }
}
