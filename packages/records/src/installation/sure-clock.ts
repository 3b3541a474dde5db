import type { Queryable } from "@web-tester/platform/database/database";

/**
 * SQL: whether ages may be told from the database's clock. For a day after it went ahead by more than a day they may not: whoever
 * corrects a wrong clock within that time loses nothing. A product that was stopped for that long looks the same, and only removes what
 * is too old a day later.
 */
export const isClockSure = `NOT EXISTS (
  SELECT 1 FROM installation WHERE clock_seen_at < now() - interval '1 day' OR clock_jumped_at > now() - interval '1 day')`;

/* A clock that was corrected, and so is behind the moment of its jump, is sure again at once. */
const look = `
  UPDATE installation SET clock_seen_at = now(), clock_jumped_at =
    CASE WHEN clock_seen_at < now() - interval '1 day' THEN now() WHEN clock_jumped_at <= now() THEN clock_jumped_at END
  WHERE clock_seen_at IS NULL OR clock_seen_at < now() - interval '1 minute' OR clock_seen_at > now() OR clock_jumped_at > now()
  RETURNING old.clock_seen_at AS before, coalesce(clock_jumped_at = now(), false) AS ahead,
    coalesce(old.clock_seen_at > now() + interval '1 second', false) AS back`;

/** A clock that does not say what it said before. */
export interface ClockChange {
  /** `ahead`: by more than a day since it was last looked at; `back`: it is earlier than it was then. */
  went: "ahead" | "back";
  /** The time that it had when it was last looked at. */
  before: Date;
}

/** Looks at the database's clock. @returns null if it goes on as it should */
export async function lookAtClock(db: Queryable): Promise<ClockChange | null> {
  const [row] = await db.query<{ before: Date | null; ahead: boolean; back: boolean }>(look);
  if (row === undefined || row.before === null || !(row.ahead || row.back)) return null;
  return { went: row.back ? "back" : "ahead", before: row.before };
}
