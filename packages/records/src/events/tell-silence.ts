import type { Database, Queryable } from "@web-tester/platform/database/database";
import { type RhythmNote, selectPerhapsSilent, settleSilence } from "../rhythm/change-rhythm.js";
import type { UntoldRun } from "./tell-run.js";
import { insertNotes } from "./write-events.js";

/* The last reported fetch of an object: notes of silence are attached to it. */
const lastFetch = `
  SELECT r.id, r.kind, r.test_object_id AS "objectId", o.name AS "objectName", o.url AS "objectUrl", r.finished_at AS "finishedAt",
    r.total, r.failed, r.look_stage AS stage
  FROM run r JOIN test_object o ON o.id = r.test_object_id
  WHERE r.test_object_id = $1 AND r.kind = 'snapshot-all' AND r.state = 'finished' AND r.told
  ORDER BY r.id DESC LIMIT 1`;

const firstId = "00000000-0000-0000-0000-000000000000";

/**
 * Reports sites that have been silent for too long, even though no fetch has ended that would report it: each silence once, on any number
 * of gateways.
 * @param deliver writes the messages, in the transaction of the events
 */
export async function tellSilences(
  db: Database,
  at: Date,
  deliver: (tx: Queryable, run: UntoldRun, notes: RhythmNote[]) => Promise<void>,
): Promise<void> {
  for (let after = firstId; ;) {
    const ids = await selectPerhapsSilent(db, at, after);
    for (const id of ids)
      await db.transaction(async (tx) => {
        const [run] = await tx.query<UntoldRun>(lastFetch, [id]);
        if (run === undefined) return;
        const notes = await settleSilence(tx, id, at, run.finishedAt);
        if (notes.length === 0) return;
        await deliver(tx, run, notes);
        await insertNotes(tx, run, notes);
      });
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
