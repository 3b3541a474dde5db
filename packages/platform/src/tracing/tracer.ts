/** Values that say more about a span; never secrets, never stored content. */
type SpanAttributes = Record<string, string | number | boolean>;

/** One timed step of a trace, while it lasts. */
export interface Span {
  set(attributes: SpanAttributes): void;
}

export interface SpanOptions {
  /** Who asked for the step and who does it (OpenTelemetry, "SpanKind"); default internal. */
  kind?: "server" | "client" | "producer" | "consumer" | "internal";
  attributes?: SpanAttributes;
  /** The step continues the trace that these carry (W3C Trace Context); without it, the one that runs here. */
  carried?: { get(name: string): string | undefined };
  /** No trace is begun for it: outside one, the work is merely done. */
  onlyWithin?: boolean;
}

/** Follows a piece of work through the processes. */
export interface Tracer {
  /** Does `work` as a step; the step ends when the work does, failed where it throws. Steps inside it become its children. */
  span<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Headers that carry the present trace to another process; null where there is none. */
  carry(): Record<string, string> | null;
  /** Sends what is not sent yet, for at most a few seconds; never throws. */
  close(): Promise<void>;
}

const noSpan: Span = { set: () => undefined };

/** Follows nothing: what everybody has who did not ask for traces. */
export const noTracer: Tracer = {
  span: (_name, _options, work) => work(noSpan),
  carry: () => null,
  close: async () => undefined,
};

/**
 * The tracer of a process. OpenTelemetry is loaded only where somebody collects traces.
 * @param endpoint base address of an OTLP/HTTP collector, undefined: no traces
 * @param onError what could not be sent, in words
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
