import { lostRows } from "@web-tester/platform/work/lost-rows";
import type { Recoverable } from "@web-tester/platform/work/reconcile";

/** An upload renews its mark every few seconds; one that does not has no process any more. */
const silentMs = 60_000;

/** Tries without a single object written in between are a fault that trying again does not mend. */
const triesMax = 20;

const abandon = `
  WITH stuck AS (
    UPDATE import_job SET state = 'failed', finished_at = now(),
      error = 'Writing failed again and again; the log of the gateway says why. Objects that are written stay. Import the file again when that is mended.'
    WHERE id IN (SELECT id FROM import_job WHERE state = 'applying' AND generation >= $1 FOR UPDATE SKIP LOCKED)
    RETURNING id
  ), gone AS (
    DELETE FROM import_row WHERE import_id IN (SELECT id FROM stuck)
  )
  SELECT id FROM stuck`;

const giveUp = `
  WITH dead AS (
    UPDATE import_job SET state = 'failed', finished_at = now(),
      error = 'The upload broke off: the server was stopped while the file was read. Nothing was imported; send it again.'
    WHERE state = 'reading' AND queued_at < now() - $1::int * interval '1 ms' RETURNING id
  ), gone AS (
    DELETE FROM import_row WHERE import_id IN (SELECT id FROM dead)
  )
  SELECT id FROM dead`;

/** Imports that lost their message, and uploads whose process died. The import's lock keeps two workers apart. */
export const recoverImports: Recoverable<"import"> = {
  name: "import",
  async requeueExpired(db) {
    await db.query(giveUp, [silentMs]);
    await db.query(abandon, [triesMax]);
    return 0;
  },
  ...lostRows({ table: "import_job", key: "id", waiting: "state = 'applying'", atOnce: 1 }),
  body: ([importId]) => {
    if (importId === undefined) throw new Error("a message of no import");
    return { importId };
  },
};
