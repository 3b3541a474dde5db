/** SQL: pages of a deletion that can still be undone; they are in no list and no count. The partial index of such pages is small. */
const goingPages = `SELECT id FROM test_instance WHERE removal_id IS NOT NULL`;

/** SQL: whether a page is not about to be deleted. @param page SQL of its id, never null */
export const stays = (page: string) => `${page} NOT IN (${goingPages})`;

/** SQL: whether a snapshot's page is not about to be deleted. @param snapshot SQL of the id of a snapshot of the run $1 */
export const pageOfSnapshotStays = (snapshot: string) =>
  `${snapshot} NOT IN (SELECT g.id FROM test_snapshot g WHERE g.run_id = $1 AND g.test_instance_id IN (${goingPages}))`;

/** SQL: whether the page of a compared pair is not about to be deleted. @param pair SQL of the id of its row in the comparison $1 */
export const pageOfPairStays = (pair: string) =>
  `${pair} NOT IN (SELECT g.id FROM compared_page g WHERE g.run_id = $1 AND g.test_instance_id IN (${goingPages}))`;
