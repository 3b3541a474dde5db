/**
 * SQL: whether a row is in one of these states, asked so that no index of the rows in that state serves. For rows that are named by their
 * key the planner would take such an index while it believes that few rows are in it, as it does after a long rest; each message of
 * a fetch of 100,000 pages then reads all that are queued.
 * @param column the state
 */
export const stateIs = (column: string, ...states: readonly string[]): string =>
  `(CASE ${column} ${states.map((state) => `WHEN '${state}' THEN true`).join(" ")} ELSE false END)`;
