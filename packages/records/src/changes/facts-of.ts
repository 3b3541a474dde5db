/** SQL: `SnapshotFacts` of a snapshot. */
export const factsOf = (snapshot: string) => `
  json_build_object('status', ${snapshot}.http_status, 'redirectedTo', CASE WHEN coalesce(jsonb_array_length(${snapshot}.redirects), 0) > 0 THEN ${snapshot}.final_url END,
    'contentType', ${snapshot}.headers -> 'content-type', 'csp', ${snapshot}.headers -> 'content-security-policy', 'xRobotsTag', ${snapshot}.headers -> 'x-robots-tag')`;

/** SQL: all of them but the status, which "not modified" says nothing about. */
export const besideStatus = (snapshot: string) => `(${factsOf(snapshot)}::jsonb - 'status')`;
