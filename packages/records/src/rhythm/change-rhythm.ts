import { type Expected, readBudget, readSilence } from "@web-tester/contracts/change-expectations";
import type { Queryable } from "@web-tester/platform/database/database";
import { type Expectation, type Assessment, assessRhythm, assessSilence, type Rhythm } from "./assess-rhythm.js";
import { ofAnySize } from "../runs/of-any-size.js";

/** A section that changed more than usual, or that has not changed for longer than usual. */
export interface RhythmNote {
  kind: "unusual" | "silent";
  section: string;
  /** Number of its pages that changed. */
  pages: number;
  said: string;
}

/** The most sections of one site; beyond that number they say nothing. */
const sectionsMax = 50;
const silentPerQuestion = 100;
const whole = "/";

/* Whether the run compared anything at all: nothing can be learned from a first fetch. */
const compared = `
  SELECT 1 FROM test_snapshot s JOIN change c ON c.snapshot_id = s.id AND c.state = 'done' AND c.kind <> 'first' WHERE s.run_id = $1 LIMIT 1`;

/*
 * Numbers of changed pages by section: the whole site, the first folder of their paths below the object's own, and sections that a person
 * has named. $1 run, $2 named sections. Pages that were as before when they were looked at again do not count as changed.
 */
const changedBySection = `
  WITH root AS (
    SELECT coalesce(substring(o.url from '^[^/]+//[^/]*(/[^?#]*/)'), '/') AS path FROM run r JOIN test_object o ON o.id = r.test_object_id WHERE r.id = $1
  ), changed AS (
    SELECT coalesce(substring(i.url from '^[^/]+//[^/]*(/[^?#]*)'), '/') AS path
    FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id JOIN test_instance i ON i.id = s.test_instance_id
    WHERE c.run_id = ${ofAnySize("$1")} AND c.state = 'done' AND c.kind = 'changed' AND c.significant
      AND i.id NOT IN (SELECT f.test_instance_id FROM page_lifecycle f WHERE f.run_id = $1 AND f.kind = 'flapping')
  )
  SELECT n.section, count(*)::int AS pages FROM changed c CROSS JOIN root CROSS JOIN LATERAL (
    SELECT '${whole}' AS section
    UNION SELECT root.path || substring(substr(c.path, length(root.path) + 1) from '^[^/]+/') WHERE starts_with(c.path, root.path)
    UNION SELECT named FROM unnest($2::text[]) AS named WHERE starts_with(c.path, named)
  ) n WHERE n.section IS NOT NULL AND length(n.section) <= 300 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${sectionsMax}`;

const known = `
  SELECT section, counts, gaps, changed_at AS "changedAt", silent, seen_at AS "seenAt"
  FROM change_rhythm WHERE test_object_id = $1 ORDER BY section FOR UPDATE`;

const write = `
  INSERT INTO change_rhythm (test_object_id, section, counts, gaps, changed_at, silent, seen_at)
  SELECT $1, r.section, r.counts, r.gaps, r."changedAt", r.silent, r."seenAt"
  FROM jsonb_to_recordset($2::jsonb) AS r (section text, counts int[], gaps int[], "changedAt" timestamptz, silent boolean, "seenAt" timestamptz)
  ON CONFLICT (test_object_id, section) DO UPDATE
  SET counts = excluded.counts, gaps = excluded.gaps, changed_at = excluded.changed_at, silent = excluded.silent`;

const forget = `
  DELETE FROM change_rhythm WHERE test_object_id = $1 AND section <> ALL ($2) AND section IN (
    SELECT section FROM change_rhythm WHERE test_object_id = $1 ORDER BY section = '${whole}' DESC, section = ANY ($2) DESC, changed_at DESC NULLS LAST
    OFFSET ${sectionsMax})`;

/** Adds a finished fetch to the rhythm of its site, and returns what is unusual about it. Call it once for each fetch. */
export async function settleRhythm(
  tx: Queryable,
  { id, objectId, finishedAt }: { id: string; objectId: string; finishedAt: Date },
): Promise<RhythmNote[]> {
  if ((await tx.query(compared, [id])).length === 0) return [];
  const { named, of } = await expectedOf(tx, objectId);
  const counted = await tx.query<{ section: string; pages: number }>(changedBySection, [id, named]);
  const changed = new Map(counted.map(({ section, pages }) => [section, pages]));
  const old = new Map((await tx.query<Rhythm>(known, [objectId])).map((row) => [row.section, row]));
  // a section that changes for the first time did not change at the earlier fetches
  const before = (old.get(whole)?.counts ?? []).map(() => 0);
  const assessed = [...new Set([whole, ...named, ...old.keys(), ...changed.keys()])].map((section) => {
    const fresh = { section, counts: before, gaps: [], changedAt: null, silent: false, seenAt: finishedAt };
    return assessRhythm(old.get(section) ?? fresh, changed.get(section) ?? 0, finishedAt, of(section));
  });
  await tx.query(write, [objectId, JSON.stringify(assessed.map(({ next }) => next))]);
  await tx.query(forget, [objectId, named]);
  return notesOf(assessed, changed);
}

/* Objects with ids after $2 that may have sections silent for too long at $1: if a person set a limit, or if a schedule was to fetch. */
const mayBeSilent = `
  SELECT o.id FROM test_object o
  WHERE o.id > $2 AND NOT o.deleting
    AND (o.silence_after <> '{}' OR EXISTS (SELECT 1 FROM schedule s WHERE s.test_object_id = o.id AND s.begins_at > $1))
    AND EXISTS (
      SELECT 1 FROM change_rhythm r WHERE r.test_object_id = o.id AND NOT r.silent AND (
        (o.silence_after <> '{}' AND coalesce(r.changed_at, r.seen_at) < $1::timestamptz - interval '1 hour')
        OR (cardinality(r.gaps) >= 5 AND r.changed_at < $1::timestamptz - interval '1 day')))
    AND NOT EXISTS (SELECT 1 FROM run g WHERE g.test_object_id = o.id AND g.state = 'running')
  ORDER BY o.id LIMIT ${silentPerQuestion}`;

/** Returns objects that may have silent sections, in the order of their ids. @param after the last id of the previous part */
export async function selectPerhapsSilent(db: Queryable, at: Date, after: string): Promise<string[]> {
  return (await db.query<{ id: string }>(mayBeSilent, [at, after])).map(({ id }) => id);
}

/** Returns the sections that have been silent for too long at a time, and marks them as reported. @param lastLook when the last fetch ended */
export async function settleSilence(tx: Queryable, objectId: string, at: Date, lastLook: Date): Promise<RhythmNote[]> {
  const rows = await tx.query<Rhythm>(known, [objectId]);
  const { of } = await expectedOf(tx, objectId);
  const assessed = rows.flatMap((row): Assessment[] => {
    const silent = assessSilence(row, at, lastLook, of(row.section));
    return silent === null ? [] : [{ next: { ...row, silent: true }, unusual: null, silent }];
  });
  if (assessed.length > 0) await tx.query(write, [objectId, JSON.stringify(assessed.map(({ next }) => next))]);
  return notesOf(assessed, new Map());
}

/** Returns what people have set for an object's sections: their names, and what is expected of each. */
async function expectedOf(
  tx: Queryable,
  objectId: string,
): Promise<{ named: string[]; of: (section: string) => Expectation }> {
  const [set] = await tx.query<{ change_budgets: string[]; silence_after: string[] }>(
    `SELECT change_budgets, silence_after FROM test_object WHERE id = $1`,
    [objectId],
  );
  const budgets = expectations(set?.change_budgets ?? [], readBudget);
  const silences = expectations(set?.silence_after ?? [], readSilence);
  return {
    named: [...new Set([...budgets.keys(), ...silences.keys()])].filter((section) => section !== "*"),
    of: (section) => ({ pages: setOf(budgets, section), seconds: setOf(silences, section) }),
  };
}

/**
 * Keeps the notes that say all without repetition: a section that explains all pages of a wider one replaces its note, but silence of the
 * whole site replaces that of its sections.
 */
function notesOf(assessed: readonly Assessment[], changed: ReadonlyMap<string, number>): RhythmNote[] {
  const notes = assessed.flatMap(({ next: { section }, unusual, silent }): RhythmNote[] => {
    const pages = changed.get(section) ?? 0;
    return [
      ...(unusual === null ? [] : [{ kind: "unusual" as const, section, pages, said: unusual }]),
      ...(silent === null ? [] : [{ kind: "silent" as const, section, pages, said: silent }]),
    ];
  });
  const isSilent = notes.some(({ kind, section }) => kind === "silent" && section === whole);
  return notes.filter((note) => {
    if (note.kind === "silent") return !isSilent || note.section === whole;
    return !notes.some(
      ({ kind, section, pages }) =>
        kind === "unusual" && pages === note.pages && section !== note.section && section.startsWith(note.section),
    );
  });
}

function expectations(lines: readonly string[], read: (line: string) => Expected | null): Map<string, number | null> {
  return new Map(
    lines.flatMap((line) => {
      const found = read(line);
      return found === null ? [] : [[found.section, found.most] as const];
    }),
  );
}

/** Returns the setting of a section; undefined when its rhythm is learned. */
const setOf = (set: ReadonlyMap<string, number | null>, section: string): number | null | undefined =>
  set.has(section) ? set.get(section) : section === whole ? undefined : set.get("*");
