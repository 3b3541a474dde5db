import { AppError } from "@web-tester/contracts/errors";
import { type Counts, type LookDeps, type Looked, lookIntoContents, lookIntoPack } from "./look-into.js";
import type { ContentKey } from "./select-contents.sql.js";
import { type Survey, takeSurvey } from "./survey.js";

/** Which contents hold the phrase, and how often. */
export interface ContentMatches {
  counts: Counts;
  /** Contents that there were to search. */
  total: number;
  /** Why not everything was searched, in words; null: it was. */
  partial: string | null;
}

export interface Finding extends Looked {
  objectId: string;
  /** Only what this instance ever had; null: all of the object. */
  instanceId: string | null;
  /** By `performance.now()`: what is not looked at by then is left out. */
  deadline: number;
  signal: AbortSignal;
  /** Called as the search goes on, in documents; `found` are those of the last step. */
  onProgress?: (searched: number, total: number, found: Counts) => void;
}

const contentsPerTask = 16;
/** A pack that is merged away in the middle of a search makes it begin again. */
const triesMax = 5;

/**
 * Looks through packs, those parts of them that may hold the phrase, and through what is in no pack yet.
 * @param first what {@link surveyFor} said a moment ago
 * @throws AppError unavailable
 */
export async function findContents(deps: LookDeps, finding: Finding, first: Survey): Promise<ContentMatches> {
  let survey = first;
  for (let attempt = 1; ; attempt += 1) {
    const matches = await findOnce(deps, finding, survey);
    if (matches !== null) return matches;
    if (attempt === triesMax) throw rearranged();
    survey = await surveyFor(deps, finding);
  }
}

/** What there is to search for a phrase. @throws AppError unavailable */
export async function surveyFor({ db }: LookDeps, finding: Finding): Promise<Survey> {
  for (let attempt = 1; attempt <= triesMax; attempt += 1) {
    const survey = await takeSurvey(db, finding, finding.scope, finding.needle);
    if (survey !== null) return survey;
  }
  throw rearranged();
}

function rearranged(): AppError {
  return new AppError("unavailable", "The search index is being rearranged. Search again in a moment.");
}

/** Null where a pack was replaced meanwhile. */
async function findOnce(deps: LookDeps, finding: Finding, survey: Survey): Promise<ContentMatches | null> {
  const { onProgress } = finding;
  const { tail, problems, unseen } = survey;
  const counts = new Map<ContentKey, number>();
  const total = survey.packs.reduce((sum, pack) => sum + pack.documents, 0) + tail.length;
  let searched = 0;
  let gone = false;
  let late = false;
  const report = (documents: number, found: Counts): void => {
    searched += documents;
    for (const [key, count] of found) counts.set(key, count);
    onProgress?.(searched, total, found);
  };
  const steps = tailSteps(tail, async (part) => report(part.length, await lookIntoContents(deps, finding, part)));
  const possible = survey.packs.filter(({ candidates }) => candidates?.length !== 0);
  // the largest first, so that no thread is left alone with it at the end
  for (const pack of possible.toSorted((one, other) => other.documents - one.documents))
    steps.push(async () => {
      const found = await lookIntoPack(deps, finding, pack);
      if (found === null) gone = true;
      else report(pack.documents, found);
    });
  const ruledOut = survey.packs.reduce(
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

function tailSteps(tail: Survey["tail"], look: (part: Survey["tail"]) => Promise<void>): Step[] {
  const steps: Step[] = [];
  for (let start = 0; start < tail.length; start += contentsPerTask)
    steps.push(() => look(tail.slice(start, start + contentsPerTask)));
  return steps;
}

/** Takes the steps one after the other, several at once, until there is none left or `isOver` says so. */
async function workThrough(steps: readonly Step[], atOnce: number, isOver: () => boolean): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let step = steps[next++]; step !== undefined && !isOver(); step = steps[next++]) await step();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** Why an answer is not complete. @param late how much was searched when the time was up */
export function partialWords({
  late,
  unseen,
  problems,
}: Pick<Survey, "unseen" | "problems"> & { late: { searched: number; total: number } | null }): string | null {
  const number = (value: number) => value.toLocaleString("en-US");
  const parts = [
    late === null
      ? ""
      : `The time for this search was up after ${number(late.searched)} of ${number(late.total)} page versions. Search one page only, or for a longer text.`,
    unseen
      ? "Many page versions are still being made searchable and were not searched. Search again in a few minutes."
      : "",
    problems > 0
      ? `${number(problems)} page ${problems === 1 ? "version" : "versions"} cannot be read from the object store and ${problems === 1 ? "was" : "were"} not searched.`
      : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : parts.join(" ");
}
