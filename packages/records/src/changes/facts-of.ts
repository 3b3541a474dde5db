/** SQL: the `SnapshotFacts` of a snapshot. @param snapshot alias of the snapshot */
export const factsOf = (snapshot: string) => `
  json_build_object('status', ${snapshot}.http_status, 'redirectedTo', CASE WHEN coalesce(jsonb_array_length(${snapshot}.redirects), 0) > 0 THEN ${snapshot}.final_url END,
    'contentType', ${snapshot}.headers -> 'content-type', 'csp', ${snapshot}.headers -> 'content-security-policy', 'xRobotsTag', ${snapshot}.headers -> 'x-robots-tag')`;

/** SQL: all facts except the status, which says nothing when it is 304. */
export const besideStatus = (snapshot: string) => `(${factsOf(snapshot)}::jsonb - 'status')`;

/** SQL: whether one of two snapshots was loaded over HTTP and the other one in the browser; false where it is not known. */
export const isOtherMode = (one: string, other: string) =>
  `coalesce(${one}.fetch_mode_used <> ${other}.fetch_mode_used, false)`;
