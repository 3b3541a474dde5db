import type { TextTrace } from "@web-tester/contracts/entities/snapshot";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Queryable } from "@web-tester/platform/database/database";
import { askQuestion } from "../http/ask-question.js";
import { invalidInput } from "../http/parse-input.js";

/** The most versions in one question to the differ; those nearest to the snapshot are asked about. */
const versionsMax = 4_000;

interface VersionRow {
  sha256: string;
  charset: string;
  /** The first and the last of the consecutive snapshots that have this version. */
  first: TextTrace["first"];
  last: TextTrace["first"];
  holds: boolean;
}

/* SQL: consecutive snapshots with the same bytes are one version. */
const select = `
  WITH done AS (
    SELECT id, number, created_at, content_hash, coalesce(charset, 'utf-8') AS charset,
      (content_hash, coalesce(charset, 'utf-8')) IS DISTINCT FROM (lag(content_hash) OVER w, lag(coalesce(charset, 'utf-8')) OVER w) AS is_new
    FROM test_snapshot WHERE test_instance_id = $1 AND state = 'done' AND content_hash IS NOT NULL WINDOW w AS (ORDER BY id)
  ), placed AS (
    SELECT *, count(*) FILTER (WHERE is_new) OVER (ORDER BY id) AS version FROM done
  )
  SELECT encode((array_agg(content_hash))[1], 'hex') AS sha256, min(charset) AS charset, bool_or(id = $2) AS holds,
    (array_agg(json_build_object('id', id, 'number', number, 'created_at', created_at) ORDER BY id))[1] AS first,
    (array_agg(json_build_object('id', id, 'number', number, 'created_at', created_at) ORDER BY id DESC))[1] AS last
  FROM placed GROUP BY version ORDER BY version`;

/**
 * Finds since when and until when a page has had a line or text of one of its snapshots.
 * @throws AppError invalid_input where the snapshot has no such line, not_found where it has no content
 */
export async function traceText(
  { db, bus }: { db: Queryable; bus: Bus },
  snapshot: { id: string; test_instance_id: string },
  as: ContentForm,
  sought: { line: number } | { text: string },
): Promise<TextTrace | null> {
  const all = await db.query<VersionRow>(select, [snapshot.test_instance_id, snapshot.id]);
  const place = all.findIndex(({ holds }) => holds);
  if (place === -1) return null;
  const from = Math.max(0, Math.min(place - versionsMax / 2, all.length - versionsMax));
  const versions = all.slice(from, from + versionsMax);
  const found = await askQuestion(bus, questions.trace, {
    versions: versions.map(({ sha256, charset }) => ({ sha256, charset })),
    at: place - from,
    as,
    sought,
  });
  if ("problem" in found)
    throw invalidInput([{ path: "query.line", message: `this snapshot has ${found.lines} lines in this form` }]);
  const { before, first, last, after, ...rest } = found;
  const told = (at: number, end: "first" | "last") => toSnapshot(versions[at]?.[end] ?? null);
  const [oldest, youngest] = [told(first, "first"), told(last, "last")];
  if (oldest === null || youngest === null) return null;
  return {
    ...rest,
    versions: all.length,
    passed: found.passed ?? Math.max(0, last + 1 - first - found.reads),
    before: before === null ? null : told(before, "last"),
    first: oldest,
    last: youngest,
    after: after === null ? null : told(after, "first"),
  };
}

function toSnapshot(row: TextTrace["first"] | null): TextTrace["first"] | null {
  return row === null ? null : { ...row, created_at: new Date(row.created_at).toISOString() };
}
