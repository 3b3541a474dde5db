/** Values that describe a span further; never secrets, never stored content. */
type SpanAttributes = Record<string, string | number | boolean>;

/** One timed step of a trace, while it lasts. */
export interface Span {
  set(attributes: SpanAttributes): void;
}

export interface SpanOptions {
  /** The role of this process in the step (OpenTelemetry, "SpanKind"); default internal. */
  kind?: "server" | "client" | "producer" | "consumer" | "internal";
  attributes?: SpanAttributes;
  /** Headers of the trace that the step continues (W3C Trace Context); without them it continues the current trace. */
  carried?: { get(name: string): string | undefined };
  /** Starts no new trace: outside a trace, the work is done without a span. */
  onlyWithin?: boolean;
}

/** Traces a piece of work through the processes. */
export interface Tracer {
  /** Runs `work` as a span, which ends when the work does, failed if it throws. Spans inside it become its children. */
  span<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Returns headers that carry the current trace to another process; null outside a trace. */
  carry(): Record<string, string> | null;
  /** Sends pending spans, for at most a few seconds; never throws. */
  close(): Promise<void>;
}

const noSpan: Span = { set: () => undefined };

/** A tracer that does nothing, the default when no traces are wanted. */
export const noTracer: Tracer = {
  span: (_name, _options, work) => work(noSpan),
  carry: () => null,
  close: async () => undefined,
};

/**
 * Opens the tracer of a process. OpenTelemetry is loaded only if there is a collector.
 * @param endpoint base address of an OTLP/HTTP collector, undefined for no traces
 * @param onError called with a message when traces could not be sent
 */
export async function openTracer(
  service: string,
  endpoint: string | undefined,
  onError: (message: string) => void,
): Promise<Tracer> {
  if (endpoint === undefined) return noTracer;
  const { createOtelTracer } = await import("./otel-tracer.js");
  return createOtelTracer(service, endpoint, onError);
}
