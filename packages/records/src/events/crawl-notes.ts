import type { Queryable } from "@web-tester/platform/database/database";
import type { RhythmNote } from "../rhythm/change-rhythm.js";
import { failureWords, lasted } from "./failure-class.js";

/** That a crawl found no page at all, or finds pages again. */
export interface CrawlNote {
  kind: "failing" | "recovered";
  section: string;
  pages: number;
  said: string;
  /** How many crawls in a row found no page: with this one if it found none, else before it. */
  times: number;
  /** When the last one before it ended; null: there was none. */
  lastAt: Date | null;
  /** For each of these crawls how many fetches had met the outage before it was told. */
  met: number[];
  /** For pages that are found again: the most crawls in a row that a fetch had come after, where a later fetch got all its pages again; else 0. */
  backAfter: number;
}

/** What is to be said about a run besides its pages. */
export type RunNote = RhythmNote | CrawlNote;

/* Finished runs of the kind $3 of the object $2 that found no page, between the last one that found some and the run $1: each is read once. */
const emptyBefore = `
  SELECT count(*)::int AS times, min(e.finished_at) AS since, max(e.finished_at) AS "lastAt",
    coalesce(array_agg(e.met_before ORDER BY e.id), '{}') AS met, (
      SELECT coalesce(max(f.met_before), 0) FROM run f WHERE f.test_object_id = $2 AND f.kind = 'snapshot-all' AND f.id > min(e.id::text)::uuid AND f.id < $1
        AND f.met_before > 0 AND EXISTS (
          SELECT FROM run b WHERE b.test_object_id = $2 AND b.kind = 'snapshot-all' AND b.state = 'finished' AND b.told AND b.id > f.id
            AND b.failed = 0 AND b.total >= f.total)) AS "backAfter"
  FROM run e
  WHERE e.test_object_id = $2 AND e.kind = $3 AND e.state = 'finished' AND e.found = 0 AND e.id < $1 AND e.id > coalesce((
    SELECT g.id FROM run g WHERE g.test_object_id = $2 AND g.kind = $3 AND g.state = 'finished' AND g.found > 0 AND g.id < $1
    ORDER BY g.id DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')`;

/* The run, and the first address that it could not read. */
const read = `
  SELECT r.found, p.error, p.error_code AS code, p.http_status AS status FROM run r LEFT JOIN LATERAL (
    SELECT * FROM crawl_page c WHERE c.run_id = r.id AND c.outcome IS DISTINCT FROM 'page' ORDER BY c.depth, c.id LIMIT 1
  ) p ON true WHERE r.id = $1`;

/**
 * Returns what is to be said about a crawl that found no page, and about the first one that finds pages again. A site that is down has
 * neither new nor missing pages, so nobody would hear of an outage where pages are fetched rarely, or not at all.
 */
export async function crawlNotes(
  tx: Queryable,
  run: { id: string; kind: string; objectId: string; finishedAt: Date },
  metBefore: number,
): Promise<CrawlNote[]> {
  const [before] = await tx.query<Before>(emptyBefore, [run.id, run.objectId, run.kind]);
  const [met] = await tx.query<Met>(read, [run.id]);
  if (before === undefined || met === undefined) return [];
  const { times, since, lastAt, backAfter } = before;
  const what = run.kind === "crawl" ? "The crawl" : "The sitemap crawl";
  const about = { section: "/", pages: 0, lastAt, backAfter };
  const fetches = met.found === 0 ? [...before.met, metBefore] : before.met;
  if (met.found === 0)
    return [{ ...about, kind: "failing", times: times + 1, met: fetches, said: `${what} found no page${why(met)}` }];
  if (since === null) return [];
  const after = lasted(run.finishedAt.getTime() - since.getTime());
  return [{ ...about, kind: "recovered", times, met: fetches, said: `${what} finds pages again, after ${after}` }];
}

interface Before {
  times: number;
  since: Date | null;
  lastAt: Date | null;
  met: number[];
  backAfter: number;
}

interface Met {
  found: number;
  error: string | null;
  code: string | null;
  status: number | null;
}

function why({ error, code, status }: Met): string {
  const words = error ?? (status !== null && status >= 400 ? failureWords(code, status, false) : "");
  return words === "" ? "" : `: ${words.replace(/\.$/, "")}`;
}

/**
 * Whether somebody is to be told: of an outage once, after so many failures in a row, and once more if it goes on when a mute has ended;
 * of its end only if the outage was told.
 * @param told.failures the least number of failures in a row @param told.toldSince when the last mute ended; null: there was none
 */
export function isNews(
  note: RunNote,
  { failures, toldSince }: { failures: number; toldSince: string | null },
): boolean {
  if (!("times" in note)) return true;
  if (note.kind === "recovered" || note.times < failures) return note.times >= failures;
  const isAfterMute = toldSince !== null && note.lastAt !== null && note.lastAt <= new Date(toldSince);
  return note.times === failures || isAfterMute;
}

/**
 * Whether messages about the failing pages of fetches tell the same: of the outage, if fetches had failed as often when the crawls became
 * enough; of its end, if they told that it began, or that it ended.
 * @param failures the least number of failures in a row that a route tells
 */
export function isToldByFetches(note: RunNote, failures: number): boolean {
  if (!("times" in note)) return false;
  return (note.met[failures - 1] ?? 0) >= failures || (note.kind === "recovered" && note.backAfter >= failures);
}

/** What events and feeds tell: each outage from its first crawl on. */
export const fromTheFirst = { failures: 1, toldSince: null } as const;
