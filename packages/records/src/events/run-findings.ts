import { countKinds, countSets } from "../changes/change-hunks.js";
import type { LifecycleKind } from "@web-tester/contracts/entities/lifecycle";
import type { Queryable } from "@web-tester/platform/database/database";
import { challengeHeaders, failureWords, lasted } from "./failure-class.js";
import { ofAnySize } from "../runs/of-any-size.js";

/** Which of a run's findings are wanted. */
export interface FindingsFilter {
  /** Wildcard over path and query; empty for all pages. */
  path: string;
  /** Only changes that add or remove this text; empty for all. */
  text: string;
  /** The least number of failures in a row that counts as failing. */
  failures: number;
  /** When the mute of a route ended: what fails still is told again after it, as it may not have been told. */
  toldSince?: string | null;
  /** Changed snapshots that add or remove the text where their stored changes do not show it. */
  alsoText?: readonly string[];
  /** Without failures that crawls told, as an outage of the whole site, and without their end if crawls told that. */
  exceptToldByCrawls?: boolean;
}

/** A page in a finding. */
export interface FoundPage {
  instanceId: string;
  url: string;
  /** The newest snapshot, and the one it was compared with. */
  snapshotId: string | null;
  comparedWith: string | null;
  /** For a page that fails: HTTP status or error, since when, and how many times in a row. */
  status: number | null;
  error: string | null;
  since: Date | null;
  times: number;
  /** Further words about the page. */
  said: string;
}

/** Pages with an equal change, as one group. */
interface FoundGroup {
  pages: number;
  fingerprint: string;
  /** As in the table of texts. */
  kind: string;
  removed: string;
  added: string;
  sample: FoundPage;
}

export interface FoundPages {
  total: number;
  pages: FoundPage[];
}

/** The findings of a run that messages may report. */
export interface Findings {
  changed: FoundPages;
  groupsTotal: number;
  groups: FoundGroup[];
  fresh: FoundPages;
  gone: FoundPages;
  moved: FoundPages;
  unlinked: FoundPages;
  failing: FoundPages;
  /** Pages that failed, as was reported, and answer again. */
  recovered: FoundPages;
  /** Other pages that are back, by what was reported when they were lost; `unknown`: nothing. */
  back: Record<LostAs, FoundPages>;
}
const lostAs = ["gone", "unlinked", "moved", "unknown"] as const;
type LostAs = (typeof lostAs)[number];

const groupsMax = 10;
/** The most pages of a kind that are named. */
export const pagesMax = 20;
const none = (): FoundPages => ({ total: 0, pages: [] });

/** Findings of a run that found nothing. */
export const noFindings = (): Findings => ({
  changed: none(),
  groupsTotal: 0,
  groups: [],
  fresh: none(),
  gone: none(),
  moved: none(),
  unlinked: none(),
  failing: none(),
  recovered: none(),
  back: { gone: none(), unlinked: none(), moved: none(), unknown: none() },
});

/* $1 run, $2 LIKE pattern of path and query or null, $3 text in lower case and Unicode NFC, or null */
const pathMatches = `($2::text IS NULL OR substring(i.url from '^[^/]+//[^/]*(/.*)$') LIKE $2)`;
const holdsText = (hunk: string) =>
  `(position($3 IN lower(normalize(${hunk}.removed))) > 0 OR position($3 IN lower(normalize(${hunk}.added))) > 0)`;
const hasText = (hunk: string) => `${hunk}.kind IN ('content', 'moved') AND ${holdsText(hunk)}`;

/*
 * SQL: what is known of a kind. It is looked up by its key, as LIMIT makes sure, and whether a sample is one of the changes by hash: the planner
 * takes the changes of a new run for a single row, and would compare each of them with each.
 */
const textOf = (object: string, fingerprint: string) =>
  `(SELECT h.* FROM hunk_text h WHERE h.test_object_id = ${object} AND h.fingerprint = ${fingerprint} LIMIT 1)`;
const sampleOf = (fingerprint: string, also = "true") =>
  `(SELECT s.* FROM hunk_sample s WHERE s.run_id = $1 AND s.fingerprint = ${fingerprint} AND ${also} LIMIT 1)`;

/* Pages that turned out unchanged when they were looked at again are not reported. */
const notFlapping = `i.id NOT IN (SELECT f.test_instance_id FROM page_lifecycle f WHERE f.run_id = $1 AND f.kind = 'flapping')`;

/**
 * SQL: the CTE `changed`; parameters: $1 run, $2 pattern of paths, $3 text.
 * @param orElse a condition under which a snapshot counts although its stored changes do not hold the text
 */
export const changedOnes = (orElse = "false") => `
  changed AS (
    SELECT s.id, i.id AS instance_id, i.url, i.test_object_id, c.previous_id, c.hunks
    FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id JOIN test_instance i ON i.id = s.test_instance_id
    WHERE c.run_id = ${ofAnySize("$1")} AND c.state = 'done' AND c.kind = 'changed' AND c.significant AND ${pathMatches} AND ${notFlapping} AND ($3::text IS NULL OR EXISTS (
      SELECT FROM unnest(c.hunks) AS kind (of) CROSS JOIN LATERAL ${textOf("i.test_object_id", "kind.of")} t LEFT JOIN LATERAL ${sampleOf("kind.of")} x ON true
      WHERE t.kind IN ('content', 'moved') AND (${holdsText("t")} OR ${holdsText("x")})) OR ${orElse})
  )`;
/* $4 ids of snapshots */
const isAlso = (id: string) => `${id} = ANY ($4::uuid[])`;

const changed = `
  WITH ${changedOnes(isAlso("s.id"))}
  SELECT (count(*) OVER ())::int AS total, id AS "snapshotId", previous_id AS "comparedWith", instance_id AS "instanceId", url,
    NULL AS status, NULL AS error, NULL AS since, 0 AS times, '' AS said
  FROM changed ORDER BY url LIMIT ${pagesMax}`;

const groups = `
  WITH ${changedOnes(isAlso("s.id"))}, counted AS (
    ${countKinds(`(${countSets("SELECT id AS snapshot_id, hunks FROM changed")}) c`)}
  ), top AS (
    SELECT (count(*) OVER ())::int AS total, g.pages, g.fingerprint, t.kind, coalesce(x.removed, t.removed) AS removed, coalesce(x.added, t.added) AS added,
      coalesce(x.sample_id, g.sample) AS sample
    FROM counted g CROSS JOIN LATERAL ${textOf("(SELECT test_object_id FROM run WHERE id = $1)", "g.fingerprint")} t
    LEFT JOIN LATERAL ${sampleOf("g.fingerprint", "((s.sample_id, s.fingerprint) IN (SELECT id, unnest(hunks) FROM changed)) IS TRUE")} x ON true
    WHERE $3::text IS NULL OR ${hasText("t")} OR (t.kind IN ('content', 'moved') AND ${holdsText("x")}) OR ${isAlso("coalesce(x.sample_id, g.sample)")}
    ORDER BY g.pages DESC, g.fingerprint LIMIT ${groupsMax}
  )
  SELECT t.total, t.pages, encode(t.fingerprint, 'hex') AS fingerprint, t.kind, t.removed, t.added,
    c.id AS "snapshotId", c.previous_id AS "comparedWith", c.instance_id AS "instanceId", c.url
  FROM top t JOIN changed c ON c.id = t.sample ORDER BY t.pages DESC, t.fingerprint`;

/** SQL: the failures in a row of a page, without looks, after its last good snapshot and up to `last`. */
const failedBetween = (page: string, good: string, last: string) => `
  FROM test_snapshot p LEFT JOIN run l ON l.id = p.run_id
  WHERE l.kind IS DISTINCT FROM 'look' AND p.test_instance_id = ${page} AND p.state = 'failed' AND p.id <= ${last} AND (${good} IS NULL OR p.id > ${good})`;

/** SQL: whether a page failed in a run, but not when it was looked at again. */
const hasFlapped = (run: string, page: string) =>
  `EXISTS (SELECT FROM page_lifecycle f WHERE f.run_id = ${run}.id AND f.test_instance_id = ${page} AND f.kind = 'flapping')`;

/** SQL: the newest good snapshot of a page before another snapshot of it. */
const goodBefore = (page: string, id: string) => `(
  SELECT g.id FROM test_snapshot g WHERE g.test_instance_id = ${page} AND g.id < ${id} AND g.state = 'done' ORDER BY g.id DESC LIMIT 1)`;

/** SQL: whether a page counts as gone instead of failing; false, not NULL, where no answer came, so that it can be negated. */
const isGone = (snapshot: string, good: string) =>
  `(coalesce(${snapshot}.http_status IN (404, 410), false) AND ${good} IS NOT NULL)`;

/**
 * SQL: whether it was reported that a page fails, after its last good snapshot and up to `last`; $3 failures in a row.
 * @param which a condition on the runs `r` that count
 */
const wasTold = (page: string, good: string, last: string, which = "true") => `EXISTS (
  SELECT FROM (
    SELECT p.*, row_number() OVER (ORDER BY p.id) AS times ${failedBetween(page, good, last)}
  ) p JOIN run r ON r.id = p.run_id AND r.kind = 'snapshot-all' AND r.state = 'finished'
  WHERE p.times >= $3::int AND NOT ${isGone("p", good)} AND NOT ${hasFlapped("r", page)} AND ${which})`;

/** SQL: whether a fetch `r` met an outage that crawls had told, so that it did not tell it itself. @param alone whether that matters */
const isLate = (alone: string) => `(${alone} AND r.met_before >= $3::int)`;

/** SQL: whether a crawl found no page since a mute ended, and before a fetch `r` did, so that it told it then. */
const crawlTold = (since: string) => `(${since}::timestamptz IS NULL OR EXISTS (
  SELECT FROM run c WHERE c.test_object_id = r.test_object_id AND c.kind = 'crawl' AND c.state = 'finished' AND c.found = 0
    AND c.finished_at > ${since}::timestamptz AND c.finished_at <= r.finished_at))`;

/** SQL: whether the newest crawl before the run $1 found no page, so that none has told that the site is back. */
const crawlsFail = `coalesce((
  SELECT c.found = 0 FROM run r JOIN run c ON c.test_object_id = r.test_object_id AND c.kind = 'crawl' AND c.state = 'finished' AND c.id < r.id
  WHERE r.id = $1 ORDER BY c.id DESC LIMIT 1), false)`;

const known = (which?: string) => wasTold("n.instance_id", "n.good_known", "n.known", which);

/**
 * SQL: the CTE `told`; parameters: $1 run, $2 pattern of paths, $3 failures in a row. It counts how many times in a row each page fails
 * now, or failed until now; looking again at a page does not count as another time. What was reported of a page before is the result of the
 * last finished Fetch All: fetches by hand and cancelled runs are not reported. A page that answers 404 or 410 counts as gone instead of
 * failing, unless it never answered well.
 * @param toldSince only what was reported after this time keeps a failure from being reported again; NULL: all does
 * @param alone whether failures that crawls told are left out, and their end unless crawls still fail
 */
export const turnedOnes = (toldSince = "NULL", alone = "false") => `
  now AS (
    SELECT s.id, s.state, s.http_status, s.error, s.error_code AS code, coalesce(s.headers ?| ARRAY[${challengeHeaders.map((name) => `'${name}'`).join(", ")}], false) AS challenged, i.id AS instance_id, i.url,
      ${goodBefore("i.id", "s.id")} AS good, CASE WHEN k.state = 'failed' THEN k.id END AS known, ${goodBefore("i.id", "k.id")} AS good_known
    FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id LEFT JOIN LATERAL (
      SELECT p.id, p.state FROM test_snapshot p JOIN run r ON r.id = p.run_id AND r.kind = 'snapshot-all' AND r.state = 'finished'
      WHERE p.test_instance_id = i.id AND p.id < s.id AND p.state IN ('done', 'failed')
        AND NOT ${hasFlapped("r", "i.id")}
      ORDER BY p.id DESC LIMIT 1
    ) k ON true
    WHERE s.run_id = ${ofAnySize("$1")} AND s.state IN ('done', 'failed') AND ${pathMatches} AND ${notFlapping}
      AND i.id NOT IN (SELECT b.test_instance_id FROM page_lifecycle b WHERE b.run_id = $1 AND b.kind = 'back')
      AND (s.state = 'failed' OR k.state = 'failed')
  ), streaks AS (
    SELECT n.*, f.times, f.since, k.times AS times_known, k.since AS since_known, k.latest, ${known()} AS was_known, o.owned,
      CASE WHEN ${toldSince}::timestamptz IS NOT NULL THEN ${known(
        `r.finished_at > ${toldSince}::timestamptz AND (o.owned OR NOT (${isLate(alone)} AND ${crawlTold(toldSince)}))`,
      )} END AS told_lately
    FROM now n CROSS JOIN LATERAL (SELECT ${known(`NOT ${isLate(alone)}`)} AS owned) o CROSS JOIN LATERAL (
      SELECT count(*)::int AS times, min(p.created_at) AS since ${failedBetween("n.instance_id", "n.good", "n.id")}
    ) f CROSS JOIN LATERAL (
      SELECT count(*)::int AS times, min(p.created_at) AS since, max(p.created_at) AS latest ${failedBetween("n.instance_id", "n.good_known", "n.known")}
    ) k
  ), told AS (
    SELECT id, state, http_status, error, code, challenged, instance_id, url, good, CASE state WHEN 'done' THEN times_known ELSE times END AS times,
      CASE state WHEN 'done' THEN since_known ELSE since END AS since, CASE
      WHEN state = 'done' THEN CASE WHEN (owned OR told_lately OR (was_known AND ${crawlsFail})) AND NOT EXISTS (
        SELECT 1 FROM page_lifecycle b WHERE b.test_instance_id = streaks.instance_id AND b.kind = 'back' AND b.created_at > latest) THEN 'recovered' END
      WHEN ${isGone("streaks", "good")} THEN NULL
      WHEN times >= $3::int AND NOT coalesce(told_lately, owned)
        AND NOT ((SELECT ${isLate(alone)} AND ${crawlTold(toldSince)} FROM run r WHERE r.id = $1) AND NOT owned) THEN 'failing' END AS kind
    FROM streaks
  )`;

const turns = `
  WITH ${turnedOnes("$4", "$5::boolean")}, ranked AS (
    SELECT *, (count(*) OVER w)::int AS total, row_number() OVER (PARTITION BY kind ORDER BY url) AS place
    FROM told WHERE kind IS NOT NULL WINDOW w AS (PARTITION BY kind)
  )
  SELECT kind, total, id AS "snapshotId", good AS "comparedWith", instance_id AS "instanceId", url, http_status AS status, error, since, times,
    CASE WHEN kind = 'recovered' THEN (
      SELECT coalesce(s.fetched_at, s.created_at) FROM test_snapshot s WHERE s.id = ranked.id) END AS "backAt", code, challenged, '' AS said
  FROM ranked WHERE place <= ${pagesMax} ORDER BY kind, url`;

/*
 * Pages that came, went or moved: reported once, in the run that noticed it. A page that is back has recovered if it was reported as failing
 * before; otherwise what counts is what it was lost as.
 */
const lives = `
  WITH lived AS (
    SELECT CASE WHEN l.kind <> 'back' THEN l.kind WHEN ${wasTold("i.id", "k.good", "k.id", `NOT ${isLate("$4::boolean")}`)} THEN 'recovered' ELSE coalesce((
        SELECT 'back:' || b.kind FROM page_lifecycle b WHERE b.test_instance_id = i.id AND b.kind IN ('gone', 'unlinked', 'moved') AND b.id < l.id
        ORDER BY b.id DESC LIMIT 1), 'back:unknown') END AS kind, l.url, l.said, l.to_url, i.id AS instance_id
    FROM page_lifecycle l JOIN test_instance i ON i.id = l.test_instance_id LEFT JOIN LATERAL (
      SELECT p.id, ${goodBefore("i.id", "p.id")} AS good
      FROM test_snapshot p JOIN run r ON r.id = p.run_id AND r.kind = 'snapshot-all' AND r.state = 'finished' AND r.told
      WHERE l.kind = 'back' AND p.test_instance_id = i.id AND r.id <> $1 AND p.state IN ('done', 'failed') AND NOT ${hasFlapped("r", "i.id")}
      ORDER BY p.id DESC LIMIT 1
    ) k ON true
    WHERE l.run_id = $1 AND l.kind <> 'flapping' AND ($2::text IS NULL OR substring(l.url from '^[^/]+//[^/]*(/.*)$') LIKE $2)
  ), ranked AS (
    SELECT *, (count(*) OVER w)::int AS total, row_number() OVER (PARTITION BY kind ORDER BY url) AS place
    FROM lived WINDOW w AS (PARTITION BY kind)
  )
  SELECT kind, total, instance_id AS "instanceId", url, NULL AS "snapshotId", NULL AS "comparedWith", NULL AS status, NULL AS error, NULL AS since,
    0 AS times, CASE WHEN to_url IS NULL THEN said ELSE 'to ' || to_url || ', ' || said END AS said
  FROM ranked WHERE place <= ${pagesMax} ORDER BY kind, url`;

type Counted<T> = T & { total: number };
type LivedKind = Exclude<LifecycleKind, "back" | "flapping"> | "recovered" | `back:${LostAs}`;

/** Returns the findings of a run on the pages that match a filter. Ignored changes are no findings. */
export async function findingsOf(tx: Queryable, runId: string, filter: FindingsFilter): Promise<Findings> {
  const path = pathParameter(filter);
  const isAlone = filter.exceptToldByCrawls ?? false;
  const changes = [runId, path, textParameter(filter), filter.alsoText ?? []];
  const changedRows = await tx.query<Counted<FoundPage>>(changed, changes);
  const groupRows = await tx.query<Counted<FoundPage & Omit<FoundGroup, "sample">>>(groups, changes);
  const turned = await tx.query<Counted<TurnedPage>>(turns, [
    ...[runId, path, filter.failures, filter.toldSince ?? null, isAlone],
  ]);
  const lived = await tx.query<Counted<FoundPage> & { kind: LivedKind }>(lives, [
    ...[runId, path, filter.failures, isAlone],
  ]);
  const life = (kind: LivedKind) => pagesOf(lived.filter((row) => row.kind === kind));
  const turn = (kind: TurnedPage["kind"]) =>
    pagesOf(turned.filter((row) => row.kind === kind).map((row) => ({ ...row, said: turnWords(row) })));
  return {
    changed: pagesOf(changedRows),
    groupsTotal: groupRows[0]?.total ?? 0,
    groups: groupRows.map((row) => ({
      pages: row.pages,
      fingerprint: row.fingerprint,
      kind: row.kind,
      removed: row.removed,
      added: row.added,
      sample: { ...pageOf(row), status: null, error: null, since: null, times: 0, said: "" },
    })),
    fresh: life("new"),
    gone: life("gone"),
    moved: life("moved"),
    unlinked: life("unlinked"),
    failing: turn("failing"),
    recovered: together(turn("recovered"), life("recovered")),
    back: {
      gone: life("back:gone"),
      unlinked: life("back:unlinked"),
      moved: life("back:moved"),
      unknown: life("back:unknown"),
    },
  };
}

const pathParameter = ({ path }: Pick<FindingsFilter, "path">) => (path === "" ? null : likePattern(path));
const textParameter = ({ text }: Pick<FindingsFilter, "text">) =>
  text === "" ? null : text.normalize("NFC").toLowerCase();

/** A changed page with the contents of both sides; hashes are hex. */
export interface ChangedContents {
  id: string;
  url: string;
  older: string;
  olderCharset: string | null;
  newer: string;
  newerCharset: string | null;
}

/** More pages than can be read in the time that there is for them. */
const lookedIntoMax = 10_000;
const contentsOf = `
  SELECT c.id, c.url, encode(o.content_hash, 'hex') AS older, o.charset AS "olderCharset", encode(n.content_hash, 'hex') AS newer, n.charset AS "newerCharset"
  FROM changed c JOIN test_snapshot n ON n.id = c.id JOIN test_snapshot o ON o.id = c.previous_id
  WHERE n.content_hash <> o.content_hash ORDER BY c.id LIMIT ${lookedIntoMax}`;

/**
 * Returns the changed pages of which the stored changes do not hold the text of a filter. These are the beginnings of changed parts as the
 * source has them, and of a rewritten page the first part alone, so the text may be in the rest, or written with tags in it.
 */
export async function selectWithoutText(
  tx: Queryable,
  runId: string,
  filter: Pick<FindingsFilter, "path" | "text">,
): Promise<ChangedContents[]> {
  const path = pathParameter(filter);
  const holding = await tx.query<{ id: string }>(`WITH ${changedOnes()} SELECT id FROM changed`, [
    ...[runId, path, textParameter(filter)],
  ]);
  const held = new Set(holding.map(({ id }) => id));
  const all = await tx.query<ChangedContents>(`WITH ${changedOnes()} ${contentsOf}`, [runId, path, null]);
  return all.filter(({ id }) => !held.has(id));
}

/** The facts of a failure, or of its end. */
export interface Turn {
  kind: "failing" | "recovered";
  code: string | null;
  challenged: boolean;
  status: number | null;
  since: Date | null;
  times: number;
  backAt: Date | null;
}

/** A page that has begun to fail, or that has recovered. */
type TurnedPage = FoundPage & Turn;

/** Returns words for a failure or recovery. */
export function turnWords({ kind, code, challenged, status, since, times, backAt }: Turn): string {
  const seen = since === null ? "" : `since ${since.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (kind === "recovered")
    return since === null || backAt === null ? "back" : `back after ${lasted(backAt.getTime() - since.getTime())}`;
  return [failureWords(code, status, challenged), seen, times > 1 ? `${times} times` : ""]
    .filter((part) => part !== "")
    .join(", ");
}

const together = (...found: FoundPages[]): FoundPages => ({
  total: found.reduce((sum, { total }) => sum + total, 0),
  pages: found.flatMap(({ pages }) => pages).slice(0, pagesMax),
});

/**
 * Returns the pages that are back.
 * @param isTold whether pages that were lost like this are wanted; a page of which nobody was told that it was lost is no news
 */
export const backOf = ({ recovered, back }: Findings, isTold: (as: LostAs) => boolean): FoundPages =>
  together(recovered, ...lostAs.filter(isTold).map((as) => back[as]));

const pagesOf = (rows: readonly Counted<FoundPage>[]): FoundPages =>
  rows.length === 0 ? none() : { total: rows[0]?.total ?? 0, pages: rows.map(pageOf) };

function pageOf(row: FoundPage): FoundPage {
  const { instanceId, url, snapshotId, comparedWith, status, error, since, times, said } = row;
  return { instanceId, url, snapshotId, comparedWith, status, error, since, times, said };
}

/** Converts a wildcard (`*`) to a LIKE pattern. */
const likePattern = (wildcard: string) => wildcard.replaceAll(/[\\%_]/g, "\\$&").replaceAll("*", "%");
