import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";

/**
 * How long an answer is cached: short enough that a newly installed browser shows soon, long enough that lists do not ask for each
 * object.
 */
const knownForMs = 15_000;

/**
 * Asks the fetchers whether they have a browser, and caches the answer.
 * @returns a function that gives the reason why not, in words; null where they have one, or where none answers: that no fetcher runs
 * is another fault, and pages wait for one
 */
export function createBrowserProblem(bus: Pick<Bus, "ask">): () => Promise<string | null> {
  const { subject, timeoutMs, reply } = questions.browser;
  let known: { until: number; problem: Promise<string | null> } | null = null;

  async function askFetchers(): Promise<string | null> {
    try {
      return reply.parse(await bus.ask(subject, {}, timeoutMs)).problem;
    } catch {
      known = null;
      return null;
    }
  }

  return () => {
    const now = performance.now();
    if (known === null || known.until < now) known = { until: now + knownForMs, problem: askFetchers() };
    return known.problem;
  };
}
