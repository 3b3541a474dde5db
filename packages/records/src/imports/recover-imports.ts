import { lostRows, type Recoverable } from "../leases/lost-rows.js";
import { releaseImports } from "./held-content.js";

/** An upload renews `queued_at` every few seconds; if it is older than this, the process has died. */
const silentMs = 60_000;

const endSilent = `
  UPDATE import_job SET state = 'failed', finished_at = now(),
    error = 'The upload broke off: the server that read the file ended. Nothing was imported; send it again.'
  WHERE state = 'reading' AND queued_at < now() - $1::int * interval '1 ms' RETURNING id`;

/** Recovers imports that lost their message, and ends uploads whose process died. The import's row lock keeps two workers apart. */
export const recoverImports: Recoverable<"import"> = {
  name: "import",
  async requeueExpired(db) {
    await db.transaction(async (tx) => {
      const ended = await tx.query<{ id: string }>(endSilent, [silentMs]);
      if (ended.length > 0)
        await releaseImports(
          tx,
          ended.map(({ id }) => id),
        );
    });
    return 0;
  },
  ...lostRows({ table: "import_job", key: "id", waiting: "state = 'applying'", atOnce: 1 }),
  body: ([importId]) => {
    if (importId === undefined) throw new Error("a message of no import");
    return { importId };
  },
};
