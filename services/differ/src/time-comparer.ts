import type { Tracer } from "@web-tester/platform/tracing/tracer";
import type { Comparer } from "./comparer.js";

/** How a comparison ended: exact, coarse (a limit was reached), or not at all. */
export type CompareOutcome = "exact" | "coarse" | "failed";

/** The comparer, with the time of each comparison told. */
export function timeComparer(
  comparer: Comparer,
  tracer: Tracer,
  tell: (outcome: CompareOutcome, seconds: number) => void,
): Comparer {
  async function timed<Result extends { coarse: boolean }>(work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    let outcome: CompareOutcome = "failed";
    try {
      const result = await tracer.span("compare", {}, work);
      outcome = result.coarse ? "coarse" : "exact";
      return result;
    } finally {
      tell(outcome, (performance.now() - startedAt) / 1000);
    }
  }
  return {
    count: (...asked) => timed(() => comparer.count(...asked)),
    mark: (...asked) => timed(() => comparer.mark(...asked)),
    compare: (...asked) => timed(() => comparer.compare(...asked)),
    close: () => comparer.close(),
  };
}
