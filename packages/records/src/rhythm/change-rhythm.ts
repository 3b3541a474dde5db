import { type Expected, readBudget, readSilence } from "@web-tester/contracts/change-expectations";
import type { Queryable } from "@web-tester/platform/database/database";
import { type Judged, judgeRhythm, type Rhythm } from "./judge-rhythm.js";

/** A section that changed more than usual, or for longer than usual not at all. */
export interface RhythmNote {
  kind: "unusual" | "silent";
  section: string;
  /** Pages of it that changed. */
  pages: number;
  said: string;
}

/** More sections than that of one site are no sections. */
const sectionsMax = 50;
const whole = "/";

/* Whether anything was compared at all: of a first fetch nothing can be learned. */
const compared = `
  SELECT 1 FROM test_snapshot s JOIN change c ON c.snapshot_id = s.id AND c.state = 'done' AND c.kind <> 'first' WHERE s.run_id = $1 LIMIT 1`;

/*
 * Pages that changed, by section: the whole site, the first step of their paths below the object's own, and what somebody has named.
 * $1 run, $2 named sections. What was as before when it was looked at again did not change.
 */
const changedBySection = `
  WITH root AS (
    SELECT coalesce(substring(o.url from '^[^/]+//[^/]*(/[^?#]*/)'), '/') AS path FROM run r JOIN test_object o ON o.id = r.test_object_id WHERE r.id = $1
  ), changed AS (
    SELECT coalesce(substring(i.url from '^[^/]+//[^/]*(/[^?#]*)'), '/') AS path
    FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
    JOIN change c ON c.snapshot_id = s.id AND c.state = 'done' AND c.kind = 'changed' AND c.significant
    WHERE s.run_id = $1
      AND NOT EXISTS (SELECT 1 FROM page_lifecycle f WHERE f.run_id = $1 AND f.test_instance_id = i.id AND f.kind = 'flapping')
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

/** Adds a fetch that ended to what is usual for its site, and says what of it is not. To be called once for each. */
export async function settleRhythm(
  tx: Queryable,
  { id, objectId, finishedAt }: { id: string; objectId: string; finishedAt: Date },
): Promise<RhythmNote[]> {
  if ((await tx.query(compared, [id])).length === 0) return [];
  const [set] = await tx.query<{ change_budgets: string[]; silence_after: string[] }>(
    `SELECT change_budgets, silence_after FROM test_object WHERE id = $1`,
    [objectId],
  );
  const budgets = expectations(set?.change_budgets ?? [], readBudget);
  const silences = expectations(set?.silence_after ?? [], readSilence);
  const named = [...new Set([...budgets.keys(), ...silences.keys()])].filter((section) => section !== "*");
  const counted = await tx.query<{ section: string; pages: number }>(changedBySection, [id, named]);
  const changed = new Map(counted.map(({ section, pages }) => [section, pages]));
  const old = new Map((await tx.query<Rhythm>(known, [objectId])).map((row) => [row.section, row]));
  // a section that changes for the first time did not at the fetches before
  const before = (old.get(whole)?.counts ?? []).map(() => 0);
  const judged = [...new Set([whole, ...named, ...old.keys(), ...changed.keys()])].map((section) => {
    const fresh = { section, counts: before, gaps: [], changedAt: null, silent: false, seenAt: finishedAt };
    const expected = { pages: of(budgets, section), seconds: of(silences, section) };
    return judgeRhythm(old.get(section) ?? fresh, changed.get(section) ?? 0, finishedAt, expected);
  });
  await tx.query(write, [objectId, JSON.stringify(judged.map(({ next }) => next))]);
  await tx.query(forget, [objectId, named]);
  return notesOf(judged, changed);
}

/** The narrowest sections that say all of it: what the whole site says is not said of its sections too, and the other way round. */
function notesOf(judged: readonly Judged[], changed: ReadonlyMap<string, number>): RhythmNote[] {
  const notes = judged.flatMap(({ next: { section }, unusual, silent }): RhythmNote[] => {
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

/** What is set of a section; undefined where it is learned. */
const of = (set: ReadonlyMap<string, number | null>, section: string): number | null | undefined =>
  set.has(section) ? set.get(section) : section === whole ? undefined : set.get("*");
