import { lasted } from "../events/failure-class.js";

/** How often a section has changed so far. */
export interface Rhythm {
  section: string;
  /** Pages that changed at each of the last fetches, oldest first. */
  counts: number[];
  /** Seconds between changes, oldest first. */
  gaps: number[];
  changedAt: Date | null;
  /** Whether its silence was already reported. */
  silent: boolean;
  /** Since when the section is watched. */
  seenAt: Date;
}

/** What people have set for a section; undefined: it is learned, null: nothing is reported. */
export interface Expectation {
  pages: number | null | undefined;
  seconds: number | null | undefined;
}

export interface Assessment {
  next: Rhythm;
  unusual: string | null;
  silent: string | null;
}

const kept = 20;
/** Number of fetches, and of gaps between changes, from which on something counts as usual. */
const learnedFrom = 5;
/** So few changed pages are never unusual. */
const fewPages = 5;
const day = 24 * 3_600;

/**
 * Assesses one fetch by the earlier ones, and adds it to them. More than twice the usual number of changed pages is unusual; usual is the
 * largest number of the last twenty fetches, or, with ten fetches or more, the second largest, so that one release does not make the next
 * one usual. A section is silent if it has not changed for more than twice its longest gap, and for at least a day.
 * @param changed number of changed pages of the section
 */
export function assessRhythm(rhythm: Rhythm, changed: number, at: Date, expected: Expectation): Assessment {
  const { counts, gaps, changedAt, section } = rhythm;
  const sinceChange = changedAt === null ? null : Math.max(0, Math.round((at.getTime() - changedAt.getTime()) / 1_000));
  const isChanged = changed > 0;
  const silent = isChanged || rhythm.silent ? null : silence(rhythm, at, expected.seconds);
  return {
    unusual: unusual(section, counts, changed, expected.pages),
    silent,
    next: {
      ...rhythm,
      counts: [...counts, changed].slice(-kept),
      gaps: isChanged && sinceChange !== null ? [...gaps, sinceChange].slice(-kept) : gaps,
      changedAt: isChanged ? at : changedAt,
      silent: !isChanged && (rhythm.silent || silent !== null),
    },
  };
}

function unusual(section: string, counts: readonly number[], changed: number, budget: number | null | undefined) {
  if (budget === null) return null;
  if (budget !== undefined)
    return changed > budget
      ? `Over the change budget${under(section)}: ${pages(changed)} changed, the budget is ${budget.toLocaleString("en-US")}`
      : null;
  if (counts.length < learnedFrom) return null;
  const most = counts.toSorted((a, b) => b - a);
  const usual = most[counts.length >= 2 * learnedFrom ? 1 : 0] ?? 0;
  return changed > Math.max(fewPages, 2 * usual)
    ? `More changes than usual${under(section)}: ${pages(changed)} changed, usually ${usual === 0 ? "none" : `at most ${usual.toLocaleString("en-US")}`}`
    : null;
}

/**
 * Assesses the silence of a section between two fetches, when no fetch ends that would assess it.
 * @param lastLook when the last fetch ended
 */
export function assessSilence(rhythm: Rhythm, at: Date, lastLook: Date, expected: Expectation): string | null {
  const said = rhythm.silent ? null : silence(rhythm, at, expected.seconds);
  return said === null ? null : `${said}; the last fetch ended ${lasted(at.getTime() - lastLook.getTime())} ago`;
}

function silence({ section, gaps, changedAt, seenAt }: Rhythm, at: Date, limit: number | null | undefined) {
  if (limit === null) return null;
  const since = limit === undefined ? changedAt : (changedAt ?? seenAt);
  if (since === null) return null;
  const longest = Math.max(0, ...gaps);
  if (limit === undefined && gaps.length < learnedFrom) return null;
  const seconds = (at.getTime() - since.getTime()) / 1_000;
  if (seconds <= (limit ?? Math.max(day, 2 * longest))) return null;
  const usually = limit === undefined ? `; the longest pause before was ${lasted(longest * 1_000)}` : "";
  return `Nothing changed${under(section)} for ${lasted(seconds * 1_000)}${usually}`;
}

const under = (section: string) => (section === "/" ? "" : ` under ${section}`);
const pages = (count: number) => `${count.toLocaleString("en-US")} ${count === 1 ? "page" : "pages"}`;
