import type { Query } from "@web-tester/contracts/api";
import type { CarrierList } from "@web-tester/contracts/entities/run";
import type { Queryable } from "@web-tester/platform/database/database";
import { selectReportState } from "@web-tester/records/runs/report-lists";
import { selectRun } from "../snapshots/run-row.js";

const target = `
  SELECT p.id, coalesce((SELECT sum(c.pages) FROM crawl_carrier c WHERE c.run_id = $1 AND c.target_id = p.id), 0)::int AS total
  FROM crawl_page p WHERE p.run_id = $1 AND p.url = $2`;

/* SQL: the pieces are in the order of the crawl; pages are joined only for the rows that are shown. */
const shown = `
  SELECT p.url, p.test_instance_id AS instance_id, i.name
  FROM (
    SELECT c.piece, u.id, u.at FROM crawl_carrier c, unnest(c.page_ids) WITH ORDINALITY AS u (id, at)
    WHERE c.run_id = $1 AND c.target_id = $2 ORDER BY c.piece, u.at LIMIT $3 OFFSET $4
  ) AS carrier
  JOIN crawl_page p ON p.id = carrier.id
  LEFT JOIN test_instance i ON i.id = p.test_instance_id
  ORDER BY carrier.piece, carrier.at`;

/**
 * Lists the pages that carry one broken link of a crawl, in the order in which the crawl met them.
 * @returns null where there is no such run; an empty list where the address is no broken link of it
 */
export async function carriersOf(
  db: Queryable,
  runId: string,
  { url, limit, offset }: Query<"listCarriers">,
): Promise<CarrierList | null> {
  const run = await selectRun(db, runId);
  if (run === null) return null;
  const { carriersKnown } = await selectReportState(db, runId);
  const [found] = await db.query<{ id: string; total: number }>(target, [runId, url]);
  const total = found?.total ?? 0;
  const items =
    found === undefined || total <= offset
      ? []
      : await db.query<CarrierList["items"][number]>(shown, [runId, found.id, limit, offset]);
  return { url, total, known: carriersKnown, items, hasMore: total > offset + items.length };
}
