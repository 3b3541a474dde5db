import { isKnownVisitor, withoutCookieValues } from "../pure/cookie-values.js";
import { keptFinalUrl } from "@web-tester/records/snapshots/final-url";
import { jobWords } from "@web-tester/contracts/job-lines";
import { changesPerMessageMax } from "@web-tester/contracts/messages";
import { takenWith } from "@web-tester/contracts/visitor";
import type { Bus, OutgoingWork } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { digestFiles } from "@web-tester/records/assets/digest-files";
import { adoptDictionary, canBeDictionary } from "@web-tester/records/objects/adopt-dictionary";
import { fetchProgress } from "@web-tester/records/runs/run-progress";
import type { ClaimedSnapshot } from "@web-tester/records/snapshots/claim-snapshots";
import { finishSnapshots, type FinishedSnapshot } from "@web-tester/records/snapshots/finish-snapshots";
import { titleOf } from "@web-tester/html/links/page-head";
import { utf8As } from "@web-tester/html/charset/decode-as";
import { instanceName } from "@web-tester/urls/instance-name";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashInSteps } from "@web-tester/platform/object-store/open-object-store";
import { recordApart } from "@web-tester/worker/record-apart";
import type { Recorded } from "@web-tester/worker/run-rows";
import { RecordQueue } from "@web-tester/worker/record-queue";
import { whileUnavailable } from "@web-tester/worker/while-unavailable";
import type { Verdict } from "../pure/classify.js";
import { createListKeeper, type PageFiles } from "./page-files.js";
import { storeBodies } from "./store-bodies.js";

/**
 * The most results that are recorded in one transaction. One transaction each would cost more than the fetches: a third of
 * the cost of a group is planning, however many rows it has. Smaller groups are recorded after `waitMaxMs` at the latest.
 */
const rowsMax = changesPerMessageMax;
const bytesMax = 4 * 1024 * 1024;
/** Bodies beyond this count as large. */
const largeBytes = bytesMax / 16;
const waitMaxMs = 1_000;
/**
 * A message whose pages are all loaded waits for the results of others, for an eighth of the time that its pages took,
 * within these bounds. The bus hands out no other message of its host before that. A fixed 100 ms limited a host that
 * answers at once to 500 pages a second; a fixed 25 ms cost slow hosts a transaction for every few pages.
 */
const companyShare = 1 / 8;
const companyMinMs = 25;
const companyMaxMs = 100;
/**
 * The most bytes of one run's bodies in memory, waiting to be recorded. Beyond it none of its pages is fetched, while
 * other runs go on …
 */
const heldOfRunMaxBytes = 4 * bytesMax;
/** … and the same limit for all runs together. */
const heldMaxBytes = 16 * bytesMax;
/** How long loaded pages wait for a database or store that is unavailable. After that they are dropped, and fetched again. */
const outageMaxMs = 120_000;

type Final = Exclude<Verdict, { kind: "later" }>;

interface Result {
  snapshot: ClaimedSnapshot;
  verdict: Final;
  /** SHA-256 of the content (hex), null where there is none. */
  hash: string | null;
  files: PageFiles | null;
}

export interface ResultBatch {
  /** Waits until there is room in memory for one more body of this run. */
  room(runId: string | null): Promise<void>;
  /**
   * Stores the bytes, then the rows in one transaction, then sends messages and events.
   * @param hash `hashOf(verdict)`
   * @param files those of the page; their bytes are already stored
   * @returns `recorded`, or `gone` where the content that it shares is gone. Rejects when it could not be recorded
   */
  add(snapshot: ClaimedSnapshot, verdict: Final, hash: string | null, files: PageFiles | null): Promise<Recorded>;
  /** Records all waiting results at once. */
  flush(): void;
  /**
   * Records all waiting results soon, together with those that come until then.
   * @param tookMs how long the pages of the message took
   */
  flushSoon(tookMs: number): void;
}

type ResultQueue = RecordQueue<Result, ReadonlySet<string>>;

interface ResultBatchDeps {
  db: Database;
  bus: Bus;
  store: ObjectStore;
  signal: AbortSignal;
}

/**
 * Records the results of all messages of this process together, whichever run they belong to. There is one transaction at
 * a time; results that come meanwhile go into the next one. Large bodies take long to compress, so they are recorded
 * separately, run by run, and do not delay the pages of other runs.
 */
export function createResultBatch(deps: ResultBatchDeps): ResultBatch {
  return new QueuedResults(deps);
}

class QueuedResults implements ResultBatch {
  readonly #lists: ReturnType<typeof createListKeeper>;
  readonly #queues = new Map<string, ResultQueue>();
  readonly #heldOf = new Map<string, number>();
  #held = 0;
  #soon: NodeJS.Timeout | undefined;
  #soonAt = Infinity;
  #waitingForRoom: (() => void)[] = [];

  constructor(private readonly deps: ResultBatchDeps) {
    this.#lists = createListKeeper(deps.db);
  }

  flush(): void {
    clearTimeout(this.#soon);
    this.#soonAt = Infinity;
    for (const queue of this.#queues.values()) queue.flush();
  }

  async room(runId: string | null): Promise<void> {
    const isFull = () => this.#held >= heldMaxBytes || (this.#heldOf.get(runId ?? "") ?? 0) >= heldOfRunMaxBytes;
    while (isFull()) await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve));
  }

  async add(
    snapshot: ClaimedSnapshot,
    verdict: Final,
    hash: string | null,
    files: PageFiles | null,
  ): Promise<Recorded> {
    const bytes = bytesOf(verdict);
    this.#hold(snapshot.runId ?? "", bytes);
    try {
      const result = { snapshot, verdict, hash, files };
      const gone = await this.#queueOf(bytes > largeBytes ? `large of ${snapshot.runId}` : "small").add(result);
      return gone.has(snapshot.id) ? "gone" : "recorded";
    } finally {
      this.#hold(snapshot.runId ?? "", -bytes);
      const woken = this.#waitingForRoom;
      this.#waitingForRoom = [];
      for (const wake of woken) wake();
    }
  }

  flushSoon(tookMs: number): void {
    const waitMs = Math.min(companyMaxMs, Math.max(companyMinMs, tookMs * companyShare));
    const at = performance.now() + waitMs;
    if (at >= this.#soonAt) return;
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.flush(), waitMs);
    this.#soonAt = at;
  }

  #queueOf(name: string): ResultQueue {
    const open = this.#queues.get(name);
    if (open !== undefined) return open;
    const queue: ResultQueue = new RecordQueue({
      write: (results) => this.#write(results),
      onEmpty: () => this.#queues.delete(name),
      rowsMax,
      waitMaxMs,
      weightMax: bytesMax,
      weightOf: ({ verdict }) => bytesOf(verdict),
    });
    this.#queues.set(name, queue);
    return queue;
  }

  #hold(run: string, bytes: number): void {
    this.#held += bytes;
    const ofRun = (this.#heldOf.get(run) ?? 0) + bytes;
    if (ofRun > 0) this.#heldOf.set(run, ofRun);
    else this.#heldOf.delete(run);
  }

  /** @returns the ids of the snapshots that could not be recorded because the content that they share is gone */
  async #write(results: readonly Result[]): Promise<ReadonlySet<string>> {
    const { bus, signal } = this.deps;
    const groups = await recordApart(
      results,
      (group) => whileUnavailable(() => this.#record(group), outageMaxMs, signal),
      unrecordable,
    );
    for (const { finished, recorded } of groups) await announce(bus, finished, recorded);
    return new Set(groups.flatMap(({ gone }) => gone.map(({ snapshot }) => snapshot.id)));
  }

  async #record(results: readonly Result[]) {
    const { db, store } = this.deps;
    const stored = await storeBodies(
      { db, store },
      results.flatMap(({ snapshot, verdict, hash }) =>
        verdict.kind === "done" && hash !== null ? [{ hash, body: verdict.body, snapshot }] : [],
      ),
      results.flatMap(({ verdict }) => (verdict.kind === "unchanged" ? [verdict.previous] : [])),
    );
    const listed = await this.#lists.keep(results.map(({ snapshot: { objectId }, files }) => ({ objectId, files })));
    const gone: Result[] = [];
    const recorded: Result[] = [];
    const rows: FinishedSnapshot[] = [];
    for (const [index, result] of results.entries()) {
      const { verdict, hash } = result;
      const list = listed[index];
      if (list === undefined || (verdict.kind === "unchanged" && hash !== null && stored.gone.has(hash))) {
        gone.push(result);
        continue;
      }
      recorded.push(result);
      rows.push(toRow(result, list.id, stored.storedSizes));
    }
    const finished = await finishSnapshots(db, rows);
    await proposeDictionaries(db, recorded, stored.storedSizes);
    return { finished, recorded, gone };
  }
}

/** Turns a result that the database refuses into a failed one, so that the page has a result and does not hold up others. */
function unrecordable({ snapshot, verdict }: Result, reason: string): Result {
  const { page } = verdict;
  const message = `The page was fetched, but it could not be recorded (${reason}). Report it with this address.`;
  return {
    snapshot,
    verdict: {
      kind: "failed",
      code: "internal",
      message,
      page: { ...page, finalUrl: null, headers: {}, redirects: [] },
    },
    hash: null,
    files: null,
  };
}

function bytesOf(verdict: Final): number {
  return verdict.kind === "done" ? verdict.body.length : 0;
}

/** Returns the SHA-256 (hex) of the content that a result is recorded with, null where there is none. */
export async function hashOf(verdict: Final): Promise<string | null> {
  if (verdict.kind === "done") return (await hashInSteps(verdict.body)).toString("hex");
  return verdict.kind === "unchanged" ? verdict.previous.hash : null;
}

/** Makes one of the first pages of an object the compression dictionary of its other pages. */
async function proposeDictionaries(
  db: Database,
  recorded: readonly Result[],
  storedSizes: ReadonlyMap<string, number>,
): Promise<void> {
  const fresh = recorded.flatMap(({ snapshot, verdict, hash }) =>
    snapshot.dictionary === null && hash !== null && storedSizes.has(hash) && canBeDictionary(bytesOf(verdict))
      ? [{ id: snapshot.objectId, hash }]
      : [],
  );
  for (const id of new Set(fresh.map((one) => one.id)))
    await adoptDictionary(
      db,
      id,
      fresh.flatMap((one) => (one.id === id ? [one.hash] : [])),
    );
}

function toRow(
  { snapshot, verdict, hash, files }: Result,
  listId: string | null,
  storedSizes: ReadonlyMap<string, number>,
): FinishedSnapshot {
  const { page } = verdict;
  const answered = {
    state: verdict.kind === "failed" ? ("failed" as const) : ("done" as const),
    http_status: page.status,
    final_url: page.finalUrl,
    redirects: page.redirects,
  };
  return {
    ...answered,
    id: snapshot.id,
    fence: snapshot.fence,
    hash,
    stored_size: hash === null ? 0 : (storedSizes.get(hash) ?? 0),
    charset: charsetOf(verdict),
    files_id: listId,
    files_hash: files === null ? null : files.kind === "found" ? digestFiles(files.files) : files.filesHash,
    headers: isKnownVisitor(snapshot) ? withoutCookieValues(page.headers) : page.headers,
    final_url: keptFinalUrl(answered, snapshot.url),
    error_code: verdict.kind === "failed" ? verdict.code : null,
    error: verdict.kind === "failed" ? verdict.message : null,
    warning: verdict.kind === "done" ? verdict.warning : null,
    duration_ms: page.durationMs,
    fetch_mode_used: page.mode,
    auto_mode: page.autoMode,
    auto_tested: page.autoTested,
    asked_as: snapshot.askedAs,
    taken_with: takenWith(snapshot.visit, snapshot.assetSnapshots ? snapshot.keepScripts : null),
    name: nameOf(snapshot, verdict),
  };
}

/** Names a page that was found by its address alone (in a sitemap) by its title once it was fetched; null keeps the name. */
function nameOf({ name, url }: ClaimedSnapshot, verdict: Final): string | null {
  if (verdict.kind !== "done" || !name.startsWith("/")) return null;
  const address = new URL(url);
  if (name !== instanceName(null, address)) return null;
  return instanceName(titleOf(utf8As(verdict.body, verdict.charset)), address);
}

function charsetOf(verdict: Final): string | null {
  if (verdict.kind === "unchanged") return verdict.previous.charset;
  return verdict.kind === "done" ? verdict.charset : null;
}

/**
 * Sends events, job lines and messages after the commit. A message that the bus does not accept is published later by the
 * reconciler.
 */
async function announce(
  bus: Bus,
  finished: Awaited<ReturnType<typeof finishSnapshots>>,
  recorded: readonly { snapshot: ClaimedSnapshot; verdict: Final }[],
): Promise<void> {
  for (const run of finished.runs) bus.publishEvent(fetchProgress(run));
  announceUnchanged(bus, new Set(finished.unchanged), recorded);
  const moved = new Set([...finished.done, ...finished.unchanged, ...finished.failed]);
  for (const { snapshot, verdict } of recorded) {
    if (!moved.has(snapshot.id)) continue;
    const { page } = verdict;
    if (verdict.kind === "unchanged")
      bus.logLine(
        snapshot.runId ?? snapshot.id,
        "info",
        jobWords("not-modified", { url: snapshot.url, ms: page.durationMs }),
      );
    else if (verdict.kind === "done")
      bus.logLine(
        snapshot.runId ?? snapshot.id,
        "info",
        jobWords("fetched", {
          url: snapshot.url,
          status: page.status ?? 0,
          bytes: verdict.body.length,
          ms: page.durationMs,
        }),
      );
    else {
      bus.logLine(
        snapshot.runId ?? snapshot.id,
        "error",
        jobWords("fetch-failed", { url: snapshot.url, reason: verdict.message, reasonCode: verdict.code }),
      );
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
    if (run.state === "finished") bus.logLine(run.id, "info", jobWords("fetch-finished", countsOf(run)));
  await bus.publish(diffMessages(finished.done)).catch(() => undefined);
}

const countsOf = ({ completed, total, failed }: Awaited<ReturnType<typeof finishSnapshots>>["runs"][number]) => ({
  completed,
  total,
  failed,
});

function announceUnchanged(
  bus: Bus,
  unchanged: ReadonlySet<string>,
  recorded: readonly { snapshot: ClaimedSnapshot }[],
): void {
  const snapshots = recorded.flatMap(({ snapshot }) => (unchanged.has(snapshot.id) ? [snapshot] : []));
  for (const [testobjectId, ofObject] of Map.groupBy(snapshots, ({ objectId }) => objectId))
    bus.publishEvent({
      type: "snapshot:changed",
      testobjectId,
      changes: ofObject.map(({ id, instanceId }) => ({
        testinstanceId: instanceId,
        snapshotId: id,
        kind: "unchanged",
        linesAdded: 0,
        linesRemoved: 0,
        filesChanged: 0,
        factsChanged: [],
      })),
    });
}

function diffMessages(snapshotIds: readonly string[]): OutgoingWork<"diff">[] {
  const outgoing: OutgoingWork<"diff">[] = [];
  for (let start = 0; start < snapshotIds.length; start += changesPerMessageMax) {
    const part = snapshotIds.slice(start, start + changesPerMessageMax);
    outgoing.push({ name: "diff", body: { snapshotIds: part }, dedupeId: `${part[0]}:0` });
  }
  return outgoing;
}
