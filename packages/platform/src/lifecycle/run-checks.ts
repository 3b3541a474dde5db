import { AppError } from "@web-tester/contracts/errors";

/** Named checks: each resolves when a part can be used, and rejects when it cannot. Name: what people call the part, for example "database". */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

/** A part that cannot be used, and why, as a sentence without secrets. */
export interface Unreachable {
  name: string;
  reason: string;
}

const limitMs = 2_000;

/** Runs all checks at once, each for at most 2 s. @returns the parts that failed, in the order of `checks`; empty when ready */
export async function runChecks(checks: Checks): Promise<Unreachable[]> {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const reason = await faultOf(check);
      return reason === null ? [] : [{ name, reason }];
    }),
  );
  return outcomes.flat();
}

/**
 * Like `runChecks`, for pages that anybody may ask for: however often it is called, only one round of checks runs at a
 * time.
 */
export function shareChecks(checks: Checks): () => Promise<Unreachable[]> {
  let running: Promise<Unreachable[]> | undefined;
  return () => (running ??= runChecks(checks).finally(() => (running = undefined)));
}

function faultOf(check: () => Promise<void>): Promise<string | null> {
  const outcome = Promise.resolve()
    .then(check)
    .then(() => null, wordsOf);
  return inTime(outcome, limitMs, `It did not answer within ${limitMs / 1000} s.`);
}

/** Resolves with the result of `work`, or with `otherwise` when it takes longer than `withinMs`. */
export async function inTime<Result>(work: Promise<Result>, withinMs: number, otherwise: Result): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), withinMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The reason of a failure; only the messages of our own errors are known to hold no addresses with passwords. */
function wordsOf(error: unknown): string {
  return error instanceof AppError ? error.message : "It cannot be reached; the log says why.";
}
