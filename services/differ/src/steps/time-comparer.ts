import type { Tracer } from "@web-tester/platform/tracing/tracer";
import type { Comparer } from "./comparer.js";

/** How a comparison ended: exact, coarse (a limit was reached), or not at all. */
export type CompareOutcome = "exact" | "coarse" | "failed";

/** Wraps a comparer so that the time of each comparison is reported; comparisons done together share theirs equally. */
export function timeComparer(
  comparer: Comparer,
  tracer: Tracer,
  tell: (outcome: CompareOutcome, seconds: number) => void,
): Comparer {
  const timed = timing(tracer, tell);
  return {
    ...untimed(comparer),
    count: (pairs) =>
      pairs.length === 0
        ? Promise.resolve([])
        : timed(
            () => comparer.count(pairs),
            (counts) => counts,
            pairs.length,
          ),
    mark: (...asked) =>
      timed(
        () => comparer.mark(...asked),
        (marks) => [marks],
      ),
    compare: (...asked) =>
      timed(
        () => comparer.compare(...asked),
        (found) => ["figures" in found ? found.figures : found],
      ),
  };
}

/** The methods that are not timed: nobody waits for them, or they do not compare. */
function untimed(comparer: Comparer): Omit<Comparer, "count" | "mark" | "compare"> {
  return {
    group: (...asked) => comparer.group(...asked),
    learn: (...asked) => comparer.learn(...asked),
    learnHistory: (...asked) => comparer.learnHistory(...asked),
    suggest: (...asked) => comparer.suggest(...asked),
    has: (...asked) => comparer.has(...asked),
    lines: (...asked) => comparer.lines(...asked),
    line: (...asked) => comparer.line(...asked),
    close: () => comparer.close(),
    destroy: () => comparer.destroy(),
  };
}

function timing(tracer: Tracer, tell: (outcome: CompareOutcome, seconds: number) => void) {
  return async <Result>(
    work: () => Promise<Result>,
    outcomesOf: (result: Result) => readonly { coarse: boolean }[],
    comparisons = 1,
  ): Promise<Result> => {
    const startedAt = performance.now();
    let outcomes: CompareOutcome[] = Array.from({ length: comparisons }, () => "failed");
    try {
      const result = await tracer.span("compare", {}, work);
      outcomes = outcomesOf(result).map(({ coarse }) => (coarse ? "coarse" : "exact"));
      return result;
    } finally {
      const seconds = (performance.now() - startedAt) / 1000 / comparisons;
      for (const outcome of outcomes) tell(outcome, seconds);
    }
  };
}
