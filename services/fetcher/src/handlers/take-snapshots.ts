import { jobWords } from "@web-tester/contracts/job-lines";
import type { MessageBody } from "@web-tester/contracts/messages";
import type { Delivery, Outcome } from "@web-tester/platform/bus/bus";
import { markLost } from "@web-tester/records/contents/stored-contents";
import {
  type ClaimedSnapshot,
  claimSnapshots,
  type PreviousSnapshot,
} from "@web-tester/records/snapshots/claim-snapshots";
import { postponeSnapshots } from "@web-tester/records/snapshots/claim-snapshots";
import type { LoadMetrics } from "@web-tester/worker/load-metrics";
import { takeForMessage } from "@web-tester/records/hosts/host-semaphore";
import { during } from "@web-tester/records/hosts/crawl-delay";
import { ContentLost } from "@web-tester/platform/object-store/object-store";
import type { Lease } from "@web-tester/worker/lease";
import { type RowOutcome, runRows } from "@web-tester/worker/run-rows";
import { createWorkApart } from "@web-tester/worker/work-apart";
import { type BrowserFiles, createBrowserFiles } from "../steps/browser-files.js";
import { mayAskConditionally } from "../pure/choose-mode.js";
import { conditionOf } from "../pure/conditional.js";
import type { TakeSnapshotsDeps } from "../steps/fetch-context.js";
import { classify, crashed, type Verdict } from "../pure/classify.js";
import { pauseAfter } from "../pure/large-pages.js";
import { loadSignedIn } from "../steps/load-signed-in.js";
import type { PageFiles } from "../steps/page-files.js";
import { createResultBatch, hashOf, type ResultBatch } from "../steps/result-batch.js";

/**
 * Handler of `fetch`: takes the snapshots of one message one after the other, so that the number of messages in flight
 * bounds that of requests, and records them in groups. A page that may succeed later is handed back with the message.
 */
export function createTakeSnapshots(
  deps: TakeSnapshotsDeps,
): (body: MessageBody<"fetch">, delivery: Delivery) => Promise<Outcome> {
  const { db, signal } = deps;
  const batch = createResultBatch(deps);
  const apart = createWorkApart();
  let fetching = 0;

  return async ({ snapshotIds, host }, delivery) => {
    const lane = delivery.lane === "now" ? "now" : "bulk";
    const release = await takeForMessage(deps.slots, host ?? `partition ${delivery.partition}`, lane, delivery);
    let isFetching = true;
    const beganAt = performance.now();
    fetching += 1;
    // the host's slot is released before the results are recorded, and another message may be taken: recording asks
    // nothing of the host
    const leaveHost = () => {
      if (!isFetching) return;
      isFetching = false;
      fetching -= 1;
      release();
      delivery.leave();
      if (fetching === 0) batch.flush();
      else batch.flushSoon(performance.now() - beganAt);
    };
    const claim = (leaseMs: number, alone: boolean) => claimSnapshots(db, snapshotIds, leaseMs, alone);
    return runRows<ClaimedSnapshot>({
      ...{ db, table: "test_snapshot", ids: snapshotIds, delivery, signal, apart },
      claim,
      ready: ({ runId }) => batch.room(runId),
      work: (snapshot, lease) => takeOne(snapshot, lease, batch, deps, delivery),
      worked: leaveHost,
      postpone: (later) => postponeSnapshots(db, later),
    }).finally(leaveHost);
  };
}

/**
 * Loads a page and its files. Where it was to share the content of the snapshot before and that content is gone, the
 * server is asked again, unconditionally.
 */
async function takeOne(
  snapshot: ClaimedSnapshot,
  lease: Lease,
  batch: ResultBatch,
  deps: TakeSnapshotsDeps,
  delivery: Delivery,
): Promise<RowOutcome> {
  for (const mayShare of [true, false]) {
    const files = createBrowserFiles(deps);
    const verdict = await deps.tracer.span("fetch", { attributes: { "snapshot.id": snapshot.id } }, () =>
      fetchOne(snapshot, mayShare, { ...deps, files }, delivery),
    );
    if (lease.slept()) return { kind: "interrupted" };
    countVerdict(verdict, deps.loads);
    if (verdict.kind === "interrupted") return verdict;
    if (verdict.kind === "paused") return { kind: "pause", delayMs: verdict.delayMs };
    if (verdict.kind === "later") {
      deps.bus.logLine(
        snapshot.runId ?? snapshot.id,
        "warn",
        jobWords("fetch-later", {
          url: snapshot.url,
          reason: verdict.message,
          reasonCode: verdict.code,
          seconds: Math.ceil(verdict.delayMs / 1000),
        }),
      );
      return { kind: "later", delayMs: verdict.delayMs, isCounted: true };
    }
    const hash = await hashOf(verdict);
    const assets = await assetsOf(snapshot, verdict, hash, { ...deps, files });
    if (assets === "interrupted") return { kind: "interrupted" };
    if (assets !== "gone") return { kind: "settled", record: () => batch.add(snapshot, verdict, hash, assets) };
  }
  return { kind: "interrupted" };
}

/**
 * Loads the files of a page. Those of an unchanged page may have changed all the same; its earlier bytes say which they are.
 * @returns `gone` where those earlier bytes are no longer stored
 */
async function assetsOf(
  snapshot: ClaimedSnapshot,
  verdict: Verdict,
  hash: string | null,
  { assets, files: { found }, db, store, signal }: FetchDeps,
): Promise<PageFiles | null | "interrupted" | "gone"> {
  if (!snapshot.assetSnapshots) return null;
  if (verdict.kind === "done") {
    const { body, charset, page } = verdict;
    const content = {
      hash: hash ?? "",
      size: body.length,
      read: async () => body,
      check: async () => undefined,
      charset,
      before: null,
    };
    return assets.ofPage(snapshot, { ...content, page }, found, signal);
  }
  return verdict.kind === "unchanged" ? assetsOfEarlier(snapshot, verdict, { assets, found, db, store, signal }) : null;
}

async function assetsOfEarlier(
  snapshot: ClaimedSnapshot,
  { previous, page }: Extract<Verdict, { kind: "unchanged" }>,
  {
    assets,
    found,
    db,
    store,
    signal,
  }: Pick<FetchDeps, "assets" | "db" | "store" | "signal"> & Pick<BrowserFiles, "found">,
): Promise<PageFiles | null | "interrupted" | "gone"> {
  try {
    const digest = Buffer.from(previous.hash, "hex");
    const check = async () => {
      if (!(await store.has(digest))) throw new ContentLost("content_missing", digest);
    };
    const before = filesBefore(snapshot, previous);
    const read = () => store.read(digest);
    return await assets.ofPage(snapshot, { ...previous, before, read, check, page }, found, signal);
  } catch (error) {
    if (!(error instanceof ContentLost)) throw error;
    await markLost(db, previous.hash);
    return "gone";
  }
}

/**
 * The files of the snapshot before, null where scripts were kept by another setting then, so that other files are looked for now.
 */
function filesBefore(
  { keepScripts }: ClaimedSnapshot,
  { filesId, filesHash, scripts }: PreviousSnapshot,
): { listId: string; filesHash: string | null } | null {
  if (filesId === null || (scripts ?? "none") !== keepScripts) return null;
  return { listId: filesId, filesHash };
}

/** What one page is fetched with. `files` are those of this page alone. */
type FetchDeps = TakeSnapshotsDeps & { files: BrowserFiles };

type Fetched = Verdict | { kind: "interrupted" } | { kind: "paused"; delayMs: number };

function countVerdict(verdict: Fetched, loads: LoadMetrics): void {
  if (verdict.kind === "paused") return;
  loads.ended(
    verdict.kind === "later" ? "again" : verdict.kind,
    verdict.kind === "failed" || verdict.kind === "later" ? verdict.code : null,
  );
}

/** How long all requests to the host wait after 429 or 503 without a usable Retry-After. */
const slowDownMs = 1_000;

/** @param mayShare false where the content of the snapshot before is known to be gone */
async function fetchOne(
  snapshot: ClaimedSnapshot,
  mayShare: boolean,
  deps: FetchDeps,
  { lane }: Delivery,
): Promise<Fetched> {
  const { crawlDelay, slots, signal, loads } = deps;
  const poisoned = crashed(snapshot.attempts - snapshot.failures);
  if (poisoned !== null) return poisoned;
  const { host } = new URL(snapshot.url);
  const entry = await crawlDelay.enter(host, snapshot.requestDelayMs, signal);
  if (entry.kind === "later") return { kind: "paused", delayMs: entry.waitMs };
  const startedAt = performance.now();
  const conditional = mayShare && mayAskConditionally(snapshot) ? conditionOf(snapshot) : null;
  const moreTurns = () => slots.tryTake(host, lane === "now" ? "now" : "bulk");
  const load = await during(entry, () =>
    loadSignedIn(snapshot, conditional, { ...deps, moreTurns, onResource: deps.files.take }),
  );
  const { page } = load;
  loads.loaded(page.mode, (performance.now() - startedAt) / 1000);
  if (signal.aborted && page.kind === "failed") return { kind: "interrupted" };
  if (page.kind === "failed" && (page.status === 429 || page.status === 503))
    await crawlDelay.push(host, page.retryAfterMs ?? slowDownMs);
  const pauseMs = pauseAfter(page);
  if (pauseMs > 0) await crawlDelay.spare(host, pauseMs);
  return classify(
    load,
    snapshot.failures,
    Math.round(performance.now() - startedAt),
    conditional === null ? null : snapshot.previous,
  );
}
