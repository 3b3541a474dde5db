import { AppError } from "@web-tester/contracts/errors";
import { type Counts, type LookDeps, type Looked, lookIntoContents, lookIntoPack } from "./look-into.js";
import type { ContentKey } from "./select-contents.sql.js";
import { type QueryPlan, planQuery } from "./query-plan.js";

/** Which contents contain the phrase, and how often. */
export interface ContentMatches {
  counts: Counts;
  /** How many contents there were to search. */
  total: number;
  /** Why not everything was searched, in words; null: everything was. */
  partial: string | null;
}

export interface Finding extends Looked {
  objectId: string;
  /** Only contents that this instance ever had; null: all of the object. */
  instanceId: string | null;
  /** As `performance.now()`: contents that are not searched by then are left out. */
  deadline: number;
  signal: AbortSignal;
  /** Called while the search goes on, with numbers of documents; `found` has the matches of the last step only. */
  onProgress?: (searched: number, total: number, found: Counts) => void;
}

const contentsPerTask = 16;
/** How often a search starts again because a pack was merged into another one in the middle of it. */
const triesMax = 5;

/**
 * Searches the parts of packs that may contain the phrase, and all contents that are in no pack yet.
 * @param first what {@link planFor} has just returned
 * @throws AppError unavailable
 */
export async function findContents(deps: LookDeps, finding: Finding, first: QueryPlan): Promise<ContentMatches> {
  let plan = first;
  for (let attempt = 1; ; attempt += 1) {
    const matches = await findOnce(deps, finding, plan);
    if (matches !== null) return matches;
    if (attempt === triesMax) throw rearranged();
    plan = await planFor(deps, finding);
  }
}

/**
 * Surveys what there is to search for a phrase.
 * @throws AppError unavailable
 */
export async function planFor({ db }: LookDeps, finding: Finding): Promise<QueryPlan> {
  for (let attempt = 1; attempt <= triesMax; attempt += 1) {
    const plan = await planQuery(db, finding, finding.scope, finding.needle);
    if (plan !== null) return plan;
  }
  throw rearranged();
}

function rearranged(): AppError {
  return new AppError("unavailable", "The search index is being rearranged. Search again in a moment.");
}

/** Searches once; null where a pack was replaced meanwhile. */
async function findOnce(deps: LookDeps, finding: Finding, plan: QueryPlan): Promise<ContentMatches | null> {
  const { onProgress } = finding;
  const { tail, problems, unseen } = plan;
  const counts = new Map<ContentKey, number>();
  const total = plan.packs.reduce((sum, pack) => sum + pack.documents, 0) + tail.length;
  let searched = 0;
  let gone = false;
  let late = false;
  const report = (documents: number, found: Counts): void => {
    searched += documents;
    for (const [key, count] of found) counts.set(key, count);
    onProgress?.(searched, total, found);
  };
  const steps = tailSteps(tail, async (part) => report(part.length, await lookIntoContents(deps, finding, part)));
  const possible = plan.packs.filter(({ candidates }) => candidates?.length !== 0);
  // the largest first, so that the end of a search does not have to wait for one thread with a large pack
  for (const pack of possible.toSorted((one, other) => other.documents - one.documents))
    steps.push(async () => {
      const found = await lookIntoPack(deps, finding, pack);
      if (found === null) gone = true;
      else report(pack.documents, found);
    });
  const ruledOut = plan.packs.reduce(
    (sum, { candidates, documents }) => (candidates?.length === 0 ? sum + documents : sum),
    0,
  );
  if (ruledOut > 0) report(ruledOut, new Map());
  await workThrough(steps, deps.pool.threads, () => {
    finding.signal.throwIfAborted();
    late = performance.now() >= finding.deadline;
    return gone || late;
  });
  return gone
    ? null
    : { counts, total, partial: partialWords({ late: late ? { searched, total } : null, unseen, problems }) };
}

type Step = () => Promise<void>;

function tailSteps(tail: QueryPlan["tail"], look: (part: QueryPlan["tail"]) => Promise<void>): Step[] {
  const steps: Step[] = [];
  for (let start = 0; start < tail.length; start += contentsPerTask)
    steps.push(() => look(tail.slice(start, start + contentsPerTask)));
  return steps;
}

/** Runs the steps in their order, several at a time, until none is left or `isOver` says so. */
async function workThrough(steps: readonly Step[], atOnce: number, isOver: () => boolean): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let step = steps[next++]; step !== undefined && !isOver(); step = steps[next++]) await step();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/**
 * Says why an answer is not complete.
 * @param late how much was searched when the time was up
 */
export function partialWords({
  late,
  unseen,
  problems,
}: Pick<QueryPlan, "unseen" | "problems"> & { late: { searched: number; total: number } | null }): string | null {
  const number = (value: number) => value.toLocaleString("en-US");
  const parts = [
    late === null
      ? ""
      : `The search timed out after ${number(late.searched)} of ${number(late.total)} page versions. Search one page only, or search for a longer text.`,
    unseen
      ? "Many page versions are still being made searchable and were not searched. Search again in a few minutes."
      : "",
    problems > 0
      ? `${number(problems)} page ${problems === 1 ? "version" : "versions"} cannot be read from the object store and ${problems === 1 ? "was" : "were"} not searched.`
      : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : parts.join(" ");
}
