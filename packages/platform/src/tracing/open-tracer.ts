import { noTracer, type Tracer } from "./tracer.js";

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
