import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/db/database";
import { touchContent } from "@web-tester/platform/db/moves/content-touch";
import { fetchProgress } from "@web-tester/platform/db/moves/run-progress";
import type { ClaimedSnapshot } from "@web-tester/platform/db/moves/snapshot-claim";
import {
  finishSnapshots,
  type FinishedAsset,
  type FinishedSnapshot,
} from "@web-tester/platform/db/moves/snapshot-finish";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";
import { hashContent } from "@web-tester/platform/storage/open-object-store";
import { whileUnavailable } from "@web-tester/platform/work/while-unavailable";
import type { Verdict } from "./judge.js";

/** Results waiting to be recorded together; a transaction for each would cost more than the fetches. */
const rowsMax = 16;
const bytesMax = 4 * 1024 * 1024;
const waitMaxMs = 100;
/** How long finished work waits for a database or store that is away before it is given up (and fetched again). */
const outageMaxMs = 120_000;

type Final = Exclude<Verdict, { kind: "later" }>;

export interface ResultBatch {
  /** @param assets files of the page; their bytes are stored already */
  add(snapshot: ClaimedSnapshot, verdict: Final, assets: readonly FinishedAsset[]): void;
  isDue(): boolean;
  /** Blobs first, then rows in one transaction, then messages and events. @returns ids that were recorded */
  flush(): Promise<string[]>;
}

interface ResultBatchDeps {
  db: Database;
  bus: Bus;
  store: ObjectStore;
  signal: AbortSignal;
}

interface Waiting {
  snapshot: ClaimedSnapshot;
  verdict: Final;
  hash: string | null;
  assets: readonly FinishedAsset[];
}

export function createResultBatch({ db, bus, store, signal }: ResultBatchDeps): ResultBatch {
  let waiting: Waiting[] = [];
  let bytes = 0;
  let since = 0;

  /** Writes what the object store lacks. @returns stored sizes by hash */
  async function storeBodies(): Promise<Map<string, number>> {
    const bodies = new Map<string, Buffer>();
    for (const { hash, verdict } of waiting)
      if (hash !== null && verdict.kind === "done") bodies.set(hash, verdict.body);
    const sizes = new Map<string, number>();
    if (bodies.size === 0) return sizes;
    const missing = await touchContent(db, new Map([...bodies].map(([hash, body]) => [hash, body.length])));
    await Promise.all(
      [...missing].map(async (hash) => {
        const body = bodies.get(hash);
        if (body !== undefined) sizes.set(hash, (await store.write(Buffer.from(hash, "hex"), body)).storedSize);
      }),
    );
    return sizes;
  }

  return {
    add(snapshot, verdict, assets) {
      if (waiting.length === 0) since = performance.now();
      waiting.push({
        snapshot,
        verdict,
        hash: verdict.kind === "done" ? hashContent(verdict.body).toString("hex") : null,
        assets,
      });
      if (verdict.kind === "done") bytes += verdict.body.length;
    },
    isDue: () =>
      waiting.length >= rowsMax || bytes >= bytesMax || (waiting.length > 0 && performance.now() - since >= waitMaxMs),
    async flush() {
      if (waiting.length === 0) return [];
      const finished = await whileUnavailable(
        async () => {
          const sizes = await storeBodies();
          return finishSnapshots(
            db,
            waiting.map((result) => toRow(result, sizes)),
          );
        },
        outageMaxMs,
        signal,
      );
      const recorded = waiting;
      waiting = [];
      bytes = 0;
      await announce(bus, finished, recorded);
      return recorded.map(({ snapshot }) => snapshot.id);
    },
  };
}

function toRow({ snapshot, verdict, hash, assets }: Waiting, sizes: Map<string, number>): FinishedSnapshot {
  const { page } = verdict;
  return {
    id: snapshot.id,
    fence: snapshot.fence,
    state: verdict.kind,
    hash,
    stored_size: hash === null ? 0 : (sizes.get(hash) ?? 0),
    charset: verdict.kind === "done" ? verdict.charset : null,
    headers: page.headers,
    http_status: page.status,
    final_url: page.finalUrl,
    redirects: page.redirects,
    error_code: verdict.kind === "failed" ? verdict.code : null,
    error: verdict.kind === "failed" ? verdict.message : null,
    warning: verdict.kind === "done" ? verdict.warning : null,
    duration_ms: page.durationMs,
    assets: [...assets],
  };
}

/** What comes after the commit. A message that the bus does not take now is the reconciler's. */
async function announce(
  bus: Bus,
  finished: Awaited<ReturnType<typeof finishSnapshots>>,
  recorded: readonly { snapshot: ClaimedSnapshot; verdict: Final }[],
): Promise<void> {
  for (const run of finished.runs) bus.publishEvent(fetchProgress(run));
  const moved = new Set([...finished.done, ...finished.failed]);
  for (const { snapshot, verdict } of recorded) {
    if (!moved.has(snapshot.id)) continue;
    const { page } = verdict;
    if (verdict.kind === "done")
      bus.logLine(
        snapshot.runId ?? snapshot.id,
        "info",
        `Fetched ${snapshot.url} (${page.status ?? 0}, ${verdict.body.length} bytes, ${page.durationMs} ms)`,
      );
    else {
      bus.logLine(snapshot.runId ?? snapshot.id, "error", `Failed ${snapshot.url}: ${verdict.message}`);
      bus.publishEvent({
        type: "fetch:error",
        testobjectId: snapshot.objectId,
        testinstanceId: snapshot.instanceId,
        snapshotId: snapshot.id,
        url: snapshot.url,
        message: verdict.message,
      });
    }
  }
  for (const run of finished.runs)
    if (run.state === "finished")
      bus.logLine(run.id, "info", `Fetch finished: ${run.completed} of ${run.total} pages, ${run.failed} failed`);
  const first = finished.done[0];
  if (first !== undefined)
    await bus
      .publish([{ name: "diff", body: { snapshotIds: finished.done }, dedupeId: `${first}:0` }])
      .catch(() => undefined);
}
