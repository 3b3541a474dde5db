/**
 * SQL: how many instances the object $1 has, from sums that are kept up to date; only the few that are about to be deleted are counted and
 * subtracted.
 * @param column sum in object_total
 * @param where condition that is true for the instances of that sum
 */
export const keptTotal = (column: string, where: string) => `(
  (SELECT coalesce(sum(${column}), 0) FROM object_total WHERE test_object_id = $1)
  - (SELECT count(*) FROM test_instance WHERE test_object_id = $1 AND removal_id IS NOT NULL${where}))`;
