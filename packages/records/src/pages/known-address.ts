/*
 * SQL that looks up an address of a run by its key, whatever the planner expects of the run: of a new one it expects no row (`ofAnySize`), and
 * would read all of it for each address.
 */

/** SQL: whether a run has a row for an address. */
export const hasPage = (run: string, url: string) =>
  `coalesce((SELECT true FROM crawl_page known WHERE known.run_id = ${run} AND known.url = ${url}), false)`;

/** SQL: whether a run has left out an address. */
export const hasSkipped = (run: string, url: string) =>
  `coalesce((SELECT true FROM crawl_skip left_out WHERE left_out.run_id = ${run} AND left_out.url = ${url}), false)`;

/** SQL: the row of a run for an address, for LATERAL; none where it has none. */
export const pageAt = (run: string, url: string) =>
  `(SELECT known.* FROM crawl_page known WHERE known.run_id = ${run} AND known.url = ${url} LIMIT 1)`;
