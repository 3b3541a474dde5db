/**
 * Known release dates of versions, and the days between releases from there on. @see https://chromiumdash.appspot.com/schedule
 */
const milestones: { major: number; at: string; days: number }[] = [
  { major: 94, at: "2021-09-21", days: 30 },
  { major: 120, at: "2023-12-05", days: 31 },
  { major: 131, at: "2024-11-12", days: 33 },
  { major: 140, at: "2025-09-02", days: 28 },
  { major: 153, at: "2026-09-08", days: 14 },
];
const dayMs = 86_400_000;
/**
 * The age from which a browser is old: it gets security fixes only while it is the newest version or the one before, some weeks.
 */
const oldDays = 120;

/**
 * Returns the approximate release date of a version of Chromium, from its number alone; null for what is no version or too
 * old to say.
 */
export function releasedAt(version: string): Date | null {
  const major = Number(/(\d+)\.\d+\.\d+/.exec(version)?.[1] ?? Number.NaN);
  const from = milestones.findLast((milestone) => milestone.major <= major);
  if (from === undefined) return null;
  return new Date(Date.parse(from.at) + (major - from.major) * from.days * dayMs);
}

/** Returns a sentence on why a browser of this version should be replaced; null where it is new enough. */
export function ageProblem(version: string, now: Date): string | null {
  const released = releasedAt(version);
  if (released !== null && now.getTime() - released.getTime() <= oldDays * dayMs) return null;
  const when = released === null ? "before October 2021, or cannot be told" : `about ${monthOf(released)}`;
  return `Chromium ${version} is old (its release was ${when}): faults that are known since then can be used against it. Install a newer one, or update this product.`;
}

/** Describes the age for logs and `/readyz`: `of about September 2026, 2 months old`. */
export function describeAge(version: string, now: Date): string {
  const released = releasedAt(version);
  if (released === null) return "of unknown age";
  const months = Math.max(0, Math.floor((now.getTime() - released.getTime()) / (30.4 * dayMs)));
  const old = months === 0 ? "new" : `${months} ${months === 1 ? "month" : "months"} old`;
  return `of about ${monthOf(released)}, ${old}`;
}

function monthOf(date: Date): string {
  return date.toLocaleDateString("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
}
