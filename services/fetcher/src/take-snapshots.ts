import { authorizationOf } from "@web-tester/loader/authorization";
import { type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import {
  claimSnapshots,
  type ClaimedSnapshot,
  releaseSnapshots,
  renewSnapshots,
} from "@web-tester/platform/db/moves/snapshot-claim";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import { keepLease, leaseMsOf } from "@web-tester/platform/work/lease";
import type { TakeSnapshotsDeps } from "./fetch-deps.js";
import { judge, crashed, type Verdict } from "./judge.js";
import { createResultBatch } from "./result-batch.js";

/**
 * Handler of `fetch`: takes the snapshots of one message one after the other, so that messages in flight bound requests
 * in flight, and records them in groups. Rows past queued are left out; a page that may do better later is handed back
 * with the message.
 */
export function createTakeSnapshots(
  deps: TakeSnapshotsDeps,
): (body: { snapshotIds: string[] }, delivery: Delivery) => Promise<Outcome> {
  const { db } = deps;

  return async ({ snapshotIds }, delivery) => {
    const { ackWaitMs } = delivery;
    const leaseMs = leaseMsOf(ackWaitMs);
    const claimed = await claimSnapshots(db, snapshotIds, leaseMs);
    if (claimed.length === 0) return done;
    const lease = keepLease(claimed, ackWaitMs, (held) => renewSnapshots(db, held, leaseMs), delivery.working);
    const batch = createResultBatch(deps);
    const later: { snapshot: ClaimedSnapshot; delayMs: number }[] = [];
    const untouched = new Map(claimed.map((snapshot) => [snapshot.id, snapshot]));
    try {
      for (const snapshot of claimed) {
        if (deps.signal.aborted) break;
        if (!lease.holds(snapshot.id)) {
          untouched.delete(snapshot.id);
          continue;
        }
        const verdict = await fetchOne(snapshot, deps);
        if (verdict.kind === "interrupted") break;
        untouched.delete(snapshot.id);
        if (verdict.kind === "later") {
          later.push({ snapshot, delayMs: verdict.delayMs });
          deps.bus.logLine(
            snapshot.runId ?? snapshot.id,
            "warn",
            `${snapshot.url}: ${verdict.message} Trying again in ${Math.ceil(verdict.delayMs / 1000)} s.`,
          );
          continue;
        }
        batch.add(snapshot, verdict);
        if (batch.isDue()) lease.letGo(await batch.flush());
      }
      lease.letGo(await batch.flush());
      if (later.length > 0)
        await releaseSnapshots(
          db,
          later.map(({ snapshot }) => snapshot),
          false,
        );
      if (untouched.size > 0) await releaseSnapshots(db, [...untouched.values()], true);
    } finally {
      lease.end();
    }
    if (untouched.size > 0) return { done: false, retryInMs: 200 };
    return later.length > 0 ? { done: false, retryInMs: Math.max(...later.map(({ delayMs }) => delayMs)) } : done;
  };
}

async function fetchOne(
  snapshot: ClaimedSnapshot,
  { loader, secrets, signal }: TakeSnapshotsDeps,
): Promise<Verdict | { kind: "interrupted" }> {
  const poisoned = crashed(snapshot.attempts);
  if (poisoned !== null) return poisoned;
  const startedAt = performance.now();
  const page = await loader.loadPage(
    {
      url: snapshot.url,
      consent: consentFor(new URL(snapshot.objectUrl)),
      authorization: authorizationOf(snapshot, secrets),
      accept: "html",
    },
    signal,
  );
  if (signal.aborted && page.kind === "failed") return { kind: "interrupted" };
  return judge(page, snapshot.attempts, Math.round(performance.now() - startedAt));
}
