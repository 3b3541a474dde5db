import type { MessageBody } from "@web-tester/contracts/messages";
import { type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import { markLost } from "@web-tester/records/contents/stored-contents";
import { releaseRows, renewRows } from "@web-tester/records/leases/leased-rows";
import { claimSnapshots, type ClaimedSnapshot } from "@web-tester/records/snapshots/claim-snapshots";
import type { FinishedAsset } from "@web-tester/records/snapshots/finish-snapshots";
import { postponeSnapshots } from "@web-tester/records/snapshots/claim-snapshots";
import type { LoadMetrics } from "@web-tester/worker/load-metrics";
import { takeForMessage } from "@web-tester/records/hosts/host-semaphore";
import { during } from "@web-tester/records/hosts/crawl-delay";
import { ContentLost } from "@web-tester/platform/object-store/object-store";
import { keepLease, leaseMsOf } from "@web-tester/worker/lease";
import { createApart } from "@web-tester/worker/work-apart";
import { type BrowserFiles, createBrowserFiles } from "../steps/browser-files.js";
import { mayAskConditionally } from "../pure/choose-mode.js";
import { conditionOf } from "../pure/conditional.js";
import type { TakeSnapshotsDeps } from "../steps/fetch-deps.js";
import { judge, crashed, type Verdict } from "../pure/judge.js";
import { pauseAfter } from "../pure/large-pages.js";
import { loadSnapshot } from "../steps/load-snapshot.js";
import { createResultBatch, hashOf } from "../steps/result-batch.js";

/**
 * Handler of `fetch`: takes the snapshots of one message one after the other, so that messages in flight bound requests
 * in flight, and records them in groups. Rows past queued are left out; a page that may do better later is handed back
 * with the message.
 */
export function createTakeSnapshots(
  deps: TakeSnapshotsDeps,
): (body: MessageBody<"fetch">, delivery: Delivery) => Promise<Outcome> {
  const { db } = deps;
  const batch = createResultBatch(deps);
  const apart = createApart();
  let fetching = 0;

  return async ({ snapshotIds, host }, delivery) => {
    const release = await takeForMessage(
      deps.slots,
      host ?? `partition ${delivery.partition}`,
      delivery.lane === "now" ? "now" : "bulk",
      delivery,
    );
    let isFetching = true;
    const beganAt = performance.now();
    fetching += 1;
    // the place at the host is given back before the results are recorded, and another message may be taken: the host is asked for nothing meanwhile
    const leaveHost = () => {
      if (!isFetching) return;
      isFetching = false;
      fetching -= 1;
      release();
      delivery.leave();
      if (fetching === 0) batch.flush();
      else batch.flushSoon(performance.now() - beganAt);
    };
    try {
      const leaseMs = leaseMsOf(delivery.ackWaitMs);
      return await apart<ClaimedSnapshot>({
        db,
        table: "test_snapshot",
        ids: snapshotIds,
        claim: (alone) => claimSnapshots(db, snapshotIds, leaseMs, alone),
        work: (claimed) => takeSnapshots(claimed, delivery, leaveHost),
      });
    } finally {
      leaveHost();
    }
  };

  async function takeSnapshots(
    claimed: ClaimedSnapshot[],
    delivery: Delivery,
    leaveHost: () => void,
  ): Promise<Outcome> {
    const { ackWaitMs } = delivery;
    const leaseMs = leaseMsOf(ackWaitMs);
    const lease = keepLease(
      claimed,
      ackWaitMs,
      (held) => renewRows(db, "test_snapshot", held, leaseMs),
      delivery.working,
    );
    const later: { snapshot: ClaimedSnapshot; delayMs: number }[] = [];
    const recording: Promise<void>[] = [];
    let pauseMs = 0;
    const untouched = new Map(claimed.map((snapshot) => [snapshot.id, snapshot]));
    const waiting = claimed.map((snapshot) => ({ snapshot, mayShare: true }));
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { snapshot } = next;
        await batch.room(snapshot.runId);
        if (deps.signal.aborted) break;
        if (!lease.holds(snapshot.id)) {
          untouched.delete(snapshot.id);
          continue;
        }
        const files = createBrowserFiles(deps);
        const verdict = await deps.tracer.span("fetch", { attributes: { "snapshot.id": snapshot.id } }, () =>
          fetchOne(snapshot, next.mayShare, { ...deps, files }, delivery),
        );
        // if this process stood still, the page's deadline passed without anybody reading the answer
        if (lease.slept()) break;
        countVerdict(verdict, deps.loads);
        if (verdict.kind === "interrupted") break;
        // the host wants a pause, so the pages behind this one are given back with it
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
        const hash = await hashOf(verdict);
        const assets = await assetsOf(snapshot, verdict, hash, { ...deps, files });
        if (assets === "interrupted" || lease.slept()) {
          untouched.set(snapshot.id, snapshot);
          break;
        }
        if (assets === "gone") {
          untouched.set(snapshot.id, snapshot);
          waiting.unshift({ snapshot, mayShare: false });
          continue;
        }
        const recorded = batch.add(snapshot, verdict, hash, assets).then((end) => {
          // the content that it would share is gone and noted as lost: when the page comes back, the server is asked for all of it
          if (end === "gone") untouched.set(snapshot.id, snapshot);
          else lease.letGo([snapshot.id]);
        });
        recorded.catch(() => undefined); // waited for below, unless something else ends this message first
        recording.push(recorded);
      }
      leaveHost();
      await Promise.all(recording);
      await postponeSnapshots(
        db,
        later.map(({ snapshot }) => snapshot),
      );
      if (untouched.size > 0) await releaseRows(db, "test_snapshot", [...untouched.values()], true);
    } catch (error) {
      leaveHost();
      await Promise.allSettled(recording);
      // database, store or bus failed: that is no attempt of the pages. Rows that were recorded are not claimed any more.
      await releaseRows(db, "test_snapshot", claimed, true).catch(() => undefined);
      throw error;
    } finally {
      lease.end();
    }
    if (untouched.size > 0) return { done: false, retryInMs: Math.max(200, pauseMs) };
    return later.length > 0 ? { done: false, retryInMs: Math.max(...later.map(({ delayMs }) => delayMs)) } : done;
  }
}

/**
 * Loads the files of a page. Files of an unchanged page may have changed; they are those that its earlier bytes name.
 * @returns `gone` where these bytes are not there any more
 */
async function assetsOf(
  snapshot: ClaimedSnapshot,
  verdict: Verdict,
  hash: string | null,
  { assets, files: { found }, db, store, signal }: FetchDeps,
): Promise<FinishedAsset[] | "interrupted" | "gone"> {
  if (!snapshot.assetSnapshots) return [];
  if (verdict.kind === "done") {
    const { body, charset, page } = verdict;
    const content = {
      hash: hash ?? "",
      size: body.length,
      read: async () => body,
      check: async () => undefined,
      charset,
    };
    return assets.ofPage(snapshot, { ...content, page }, found, signal);
  }
  if (verdict.kind !== "unchanged") return [];
  const { previous, page } = verdict;
  try {
    const digest = Buffer.from(previous.hash, "hex");
    const check = async () => {
      if (!(await store.has(digest))) throw new ContentLost("content_missing", digest);
    };
    return await assets.ofPage(snapshot, { ...previous, read: () => store.read(digest), check, page }, found, signal);
  } catch (error) {
    if (!(error instanceof ContentLost)) throw error;
    await markLost(db, previous.hash);
    return "gone";
  }
}

/** What one page is fetched with. `files`: of this page alone. */
type FetchDeps = TakeSnapshotsDeps & { files: BrowserFiles };

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

/** @param mayShare false where the content of the snapshot before is known to be gone */
async function fetchOne(
  snapshot: ClaimedSnapshot,
  mayShare: boolean,
  deps: FetchDeps,
  { lane }: Delivery,
): Promise<Fetched> {
  const { gate, slots, signal, loads } = deps;
  const poisoned = crashed(snapshot.attempts - snapshot.failures);
  if (poisoned !== null) return poisoned;
  const { host } = new URL(snapshot.url);
  const entry = await gate.enter(host, snapshot.requestDelayMs, signal);
  if (entry.kind === "later") return { kind: "paused", delayMs: entry.waitMs };
  const startedAt = performance.now();
  const conditional = mayShare && mayAskConditionally(snapshot) ? conditionOf(snapshot) : null;
  const moreTurns = () => slots.tryTake(host, lane === "now" ? "now" : "bulk");
  const load = await during(entry, () =>
    loadSnapshot(snapshot, conditional, { ...deps, moreTurns, onResource: deps.files.take }),
  );
  const { page } = load;
  loads.loaded(page.mode, (performance.now() - startedAt) / 1000);
  if (signal.aborted && page.kind === "failed") return { kind: "interrupted" };
  if (page.kind === "failed" && (page.status === 429 || page.status === 503))
    await gate.push(host, page.retryAfterMs ?? slowDownMs);
  const pauseMs = pauseAfter(page);
  if (pauseMs > 0) await gate.spare(host, pauseMs);
  return judge(
    load,
    snapshot.failures,
    Math.round(performance.now() - startedAt),
    conditional === null ? null : snapshot.previous,
  );
}
