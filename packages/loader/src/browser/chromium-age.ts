/** First versions that came with a date, and days to the next from there on. @see https://chromiumdash.appspot.com/schedule */
const milestones: { major: number; at: string; days: number }[] = [
  { major: 94, at: "2021-09-21", days: 30 },
  { major: 120, at: "2023-12-05", days: 31 },
  { major: 131, at: "2024-11-12", days: 33 },
  { major: 140, at: "2025-09-02", days: 28 },
  { major: 153, at: "2026-09-08", days: 14 },
];
const dayMs = 86_400_000;
/** A browser gets security fixes for as long as it is the newest or the one before, some weeks. */
const oldDays = 120;

/** About when a version of Chromium came out, from its number alone; null for what is no version or too old to say. */
export function releasedAt(version: string): Date | null {
  const major = Number(/(\d+)\.\d+\.\d+/.exec(version)?.[1] ?? Number.NaN);
  const from = milestones.findLast((milestone) => milestone.major <= major);
  if (from === undefined) return null;
  return new Date(Date.parse(from.at) + (major - from.major) * from.days * dayMs);
}

/** Why a browser of this version should be replaced, in words; null where it is young enough. */
export function ageProblem(version: string, now: Date): string | null {
  const released = releasedAt(version);
  if (released !== null && now.getTime() - released.getTime() <= oldDays * dayMs) return null;
  const when = released === null ? "before October 2021, or cannot be told" : `about ${monthOf(released)}`;
  return `Chromium ${version} is old (its release was ${when}): faults that are known since then can be used against it. Install a newer one, or update this product.`;
}

/** For logs and `/readyz`: `of about September 2026, 2 months old`. */
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
