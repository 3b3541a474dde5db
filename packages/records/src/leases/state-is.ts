/**
 * SQL: whether a row is in one of these states, written so that no partial index on that state can be used. For rows found by their key the
 * planner would choose such an index while it believes that it holds few rows, as it does after a long idle time; then each message of a
 * fetch of 100,000 pages would read all queued rows.
 * @param column the state
 */
export const stateIs = (column: string, ...states: readonly string[]): string =>
  `(CASE ${column} ${states.map((state) => `WHEN '${state}' THEN true`).join(" ")} ELSE false END)`;
