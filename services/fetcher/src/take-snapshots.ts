import { authorizationOf } from "@web-tester/loader/authorization";
import { type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import { releaseRows, renewRows } from "@web-tester/platform/db/moves/held-rows";
import { claimSnapshots, type ClaimedSnapshot } from "@web-tester/platform/db/moves/snapshot-claim";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import type { LoadMetrics } from "@web-tester/platform/metrics/load-metrics";
import { during } from "@web-tester/platform/politeness/host-gate";
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
    const release = await deps.slots.take(
      delivery.partition ?? 0,
      delivery.lane === "now" ? "now" : "bulk",
      delivery.working,
    );
    try {
      return await takeSnapshots(snapshotIds, delivery);
    } finally {
      release();
    }
  };

  async function takeSnapshots(snapshotIds: string[], delivery: Delivery): Promise<Outcome> {
    const { ackWaitMs } = delivery;
    const leaseMs = leaseMsOf(ackWaitMs);
    const claimed = await claimSnapshots(db, snapshotIds, leaseMs);
    if (claimed.length === 0) return done;
    const lease = keepLease(
      claimed,
      ackWaitMs,
      (held) => renewRows(db, "test_snapshot", held, leaseMs),
      delivery.working,
    );
    const batch = createResultBatch(deps);
    const later: { snapshot: ClaimedSnapshot; delayMs: number }[] = [];
    let pauseMs = 0;
    const untouched = new Map(claimed.map((snapshot) => [snapshot.id, snapshot]));
    try {
      for (const snapshot of claimed) {
        if (deps.signal.aborted) break;
        if (!lease.holds(snapshot.id)) {
          untouched.delete(snapshot.id);
          continue;
        }
        const verdict = await deps.tracer.span("fetch", { attributes: { "snapshot.id": snapshot.id } }, () =>
          fetchOne(snapshot, deps),
        );
        countVerdict(verdict, deps.loads);
        if (verdict.kind === "interrupted") break;
        // the host wants a pause: the pages behind this one wait with it
        if (verdict.kind === "paused") {
          pauseMs = verdict.delayMs;
          break;
        }
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
        const assets = verdict.kind === "done" ? await deps.assets.ofPage(snapshot, verdict, deps.signal) : [];
        if (assets === "interrupted") {
          untouched.set(snapshot.id, snapshot);
          break;
        }
        batch.add(snapshot, verdict, assets);
        if (batch.isDue()) lease.letGo(await batch.flush());
      }
      lease.letGo(await batch.flush());
      if (later.length > 0)
        await releaseRows(
          db,
          "test_snapshot",
          later.map(({ snapshot }) => snapshot),
          false,
        );
      if (untouched.size > 0) await releaseRows(db, "test_snapshot", [...untouched.values()], true);
    } finally {
      lease.end();
    }
    if (untouched.size > 0) return { done: false, retryInMs: Math.max(200, pauseMs) };
    return later.length > 0 ? { done: false, retryInMs: Math.max(...later.map(({ delayMs }) => delayMs)) } : done;
  }
}

type Fetched = Verdict | { kind: "interrupted" } | { kind: "paused"; delayMs: number };

function countVerdict(verdict: Fetched, loads: LoadMetrics): void {
  if (verdict.kind === "paused") return;
  loads.ended(
    verdict.kind === "later" ? "again" : verdict.kind,
    verdict.kind === "failed" || verdict.kind === "later" ? verdict.code : null,
  );
}

/** How long everybody waits after 429 or 503 without a usable Retry-After. */
const slowDownMs = 1_000;

async function fetchOne(
  snapshot: ClaimedSnapshot,
  { loader, secrets, gate, signal, loads }: TakeSnapshotsDeps,
): Promise<Fetched> {
  const poisoned = crashed(snapshot.attempts);
  if (poisoned !== null) return poisoned;
  const { host } = new URL(snapshot.url);
  const entry = await gate.enter(host, snapshot.requestDelayMs, signal);
  if (entry.kind === "later") return { kind: "paused", delayMs: entry.waitMs };
  const startedAt = performance.now();
  const request = {
    url: snapshot.url,
    consent: consentFor(new URL(snapshot.objectUrl)),
    authorization: authorizationOf(snapshot, secrets),
    accept: "html" as const,
  };
  const page = await during(entry, () => loader.loadPage(request, signal));
  loads.loaded(page.mode, (performance.now() - startedAt) / 1000);
  if (signal.aborted && page.kind === "failed") return { kind: "interrupted" };
  if (page.kind === "failed" && (page.status === 429 || page.status === 503))
    await gate.push(host, page.retryAfterMs ?? slowDownMs);
  return judge(page, snapshot.attempts, Math.round(performance.now() - startedAt));
}
