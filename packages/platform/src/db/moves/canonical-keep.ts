import type { Queryable } from "../database.js";
import type { PageOutcome, VisitedPage } from "./page-finish.js";

/** Outcomes by which an address that others name turns out to be no page. */
const noPage: ReadonlySet<PageOutcome> = new Set(["failed", "denied", "not-html", "excluded", "out-of-scope"]);

const revert = `
  UPDATE crawl_page p SET outcome = 'instance', target = NULL
  WHERE p.run_id = $1 AND p.outcome = 'canonical' AND`;
const returning = `RETURNING p.url, p.detail ->> 'name' AS name`;

/** Pages that named an address which has just turned out to be none. */
const revertSources = `${revert} p.target = ANY(ARRAY(SELECT t.url FROM crawl_page t WHERE t.id = ANY($2))) ${returning}`;

/** Pages that name an address which was found to be none before, or which the crawl had no room for. */
const revertDead = `${revert} p.id = ANY($2) AND NOT EXISTS (
    SELECT 1 FROM crawl_page t WHERE t.run_id = $1 AND t.url = p.target
      AND (t.outcome IS NULL OR t.outcome NOT IN ('failed', 'denied', 'not-html', 'excluded', 'out-of-scope', 'budget')))
  ${returning}`;

/** The same for all that is left when a crawl ends at its budget. */
const revertClosed = `${revert} EXISTS (
    SELECT 1 FROM crawl_page t WHERE t.run_id = $1 AND t.url = p.target AND t.outcome = 'budget')
  ${returning}`;

const revertOne = `${revert} p.url = $2 ${returning}`;

/* Every address on the way from a page through redirects and canonical addresses, until it comes back to the page or ends. */
const walk = `
  WITH RECURSIVE way (start, url, outcome, target, steps) AS (
    SELECT p.url, p.url, p.outcome, p.target, 0 FROM crawl_page p
    WHERE p.run_id = $1 AND p.id = ANY($2) AND p.outcome IN ('canonical', 'redirected')
    UNION ALL
    SELECT w.start, p.url, p.outcome, p.target, w.steps + 1 FROM way w JOIN crawl_page p ON p.run_id = $1 AND p.url = w.target
    WHERE p.outcome IN ('canonical', 'redirected') AND p.url <> w.start AND w.steps < 20
  )
  SELECT start, url, outcome, target FROM way ORDER BY start, steps`;

const failCircle = `
  UPDATE crawl_page SET state = 'failed', outcome = 'failed', error_code = 'too_many_redirects', error = $3
  WHERE run_id = $1 AND url = $2 RETURNING id`;

interface Step {
  start: string;
  url: string;
  outcome: string;
  target: string | null;
}

type Named = { url: string; name: string };

/**
 * Makes sure that no page is lost to the address it says it should be known by: where that one is no page, or leads back in a
 * circle, the page stays under its own. Redirects that lead back to themselves are failed. To be called in the transaction
 * that recorded the visits, with the run locked; costs nothing where no page names another.
 * @param ended whether the crawl was just ended by a budget
 * @returns the pages that are instances after all, and how many visits became failed ones
 */
export async function keepOwnName(
  tx: Queryable,
  runId: string,
  visited: readonly VisitedPage[],
  ended: boolean,
): Promise<{ instances: Named[]; failed: number }> {
  const instances: Named[] = [];
  const collect = async (sql: string, which?: readonly string[] | string) =>
    void instances.push(...(await tx.query<Named>(sql, which === undefined ? [runId] : [runId, which])));

  const dead = visited.filter(({ outcome }) => noPage.has(outcome)).map(({ id }) => id);
  if (dead.length > 0) await collect(revertSources, dead);
  const naming = visited.filter(({ outcome }) => outcome === "canonical").map(({ id }) => id);
  if (naming.length > 0) await collect(revertDead, naming);
  if (ended) await collect(revertClosed);

  let failed = 0;
  const leading = visited.filter(({ outcome }) => outcome === "canonical" || outcome === "redirected");
  if (leading.length > 0) {
    const steps = await tx.query<Step>(walk, [runId, leading.map(({ id }) => id)]);
    for (const circle of circlesOf(steps)) {
      const [own] = circle.filter(({ outcome }) => outcome === "canonical").map(({ url }) => url);
      if (own !== undefined) await collect(revertOne, own);
      else failed += (await tx.query(failCircle, [runId, circle[0]?.start, circleReason(circle)])).length;
    }
  }
  return { instances, failed };
}

/** The ways that come back to where they began, each circle once, in the order of their addresses. */
function circlesOf(steps: readonly Step[]): Step[][] {
  const circles = new Map<string, Step[]>();
  for (const [start, way] of Map.groupBy(steps, (step) => step.start)) {
    if (way.at(-1)?.target !== start) continue;
    const circle = way.toSorted((a, b) => (a.url < b.url ? -1 : 1));
    circles.set(circle.map(({ url }) => url).join(" "), circle);
  }
  return [...circles.values()];
}

function circleReason(circle: readonly Step[]): string {
  const [first] = circle;
  return `The redirects go round in a circle: ${first?.start} leads back to itself. The server has to be corrected.`;
}
