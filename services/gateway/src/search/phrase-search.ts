import { type BeforeApplicationShutdown, Inject, Injectable } from "@nestjs/common";
import type { PhraseHistory, SearchScope, SearchSummary, SnapshotMatches } from "@web-tester/contracts/entities/search";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import { visiblePhrase } from "@web-tester/html/text/visible-text";
import { makeNeedle } from "@web-tester/search-index/needle";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { notFound } from "../http/not-found.js";
import { invalidInput } from "../http/parse-input.js";
import { DB, STORE } from "../parts.js";
import { requireObject } from "../http/require-object.js";
import { type ContentMatches, type Finding, findContents, partialWords, planFor } from "./find-contents.js";
import { countInContents } from "./count-in-contents.js";
import type { Counts, LookDeps } from "./look-into.js";
import { PackCache } from "./pack-cache.js";
import { readResults, type ResultPage, walkResults } from "./read-results.js";
import { createScanPool } from "./scan-pool.js";
import type { LinesTask } from "./scan-worker.js";
import { type HistoryRow, selectHistory } from "./select-history.sql.js";
import type { ContentKey } from "./select-contents.sql.js";
import type { Place, Where } from "./select-results.sql.js";
import { selectSummary } from "./select-summary.sql.js";
import type { QueryPlan } from "./query-plan.js";
import { TextCache } from "./text-cache.js";

/** A search as a caller asks for it. */
export interface Asked {
  q: string;
  testobject_id?: string | undefined;
  testinstance_id?: string | undefined;
  idx?: number | undefined;
  scope: SearchScope;
  time_ms: number;
}

export type ResultsAnswer = ResultPage & { partial: string | null };
type Listener = (frame: { searched: number; total: number; found: Counts }) => void;

/** The most searched text in memory: of packs, and of contents that are in no pack yet. */
const cacheMaxBytes = { packs: 84 * 1024 * 1024, texts: 12 * 1024 * 1024 };
/** What a search found is cached this long, for its next page, its sums and its history. */
const keptMs = 30_000;
const keptContentsMax = 200_000;
/**
 * Where the filters leave at most this many frames, all of them are searched at once: that takes less time than finding the first
 * results in order.
 */
const fewFrames = 160;
/** Limits of looking for a frequent phrase in the order of results, before everything is searched instead. */
const walkStretches = 2;
const walkContents = 512;

/** Searches for phrases. There is one for the process, because memory and threads are bounded over all searches together. */
@Injectable()
export class PhraseSearch implements BeforeApplicationShutdown {
  private readonly deps: LookDeps;
  private readonly kept = new Map<string, { matches: ContentMatches; until: number }>();

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(STORE) store: ObjectStore,
  ) {
    const pool = createScanPool();
    this.deps = {
      db,
      pool,
      packs: new PackCache(db, store, pool, cacheMaxBytes.packs),
      texts: new TextCache(store, pool, cacheMaxBytes.texts),
    };
  }

  /**
   * Finds out which part of the product is to be searched.
   * @throws AppError not_found, invalid_input
   */
  async whereOf({ testobject_id, testinstance_id, idx }: Asked): Promise<Where> {
    const index = idx ?? null;
    if (testinstance_id !== undefined) {
      const [row] = await this.db.query<{ objectId: string }>(
        `SELECT test_object_id AS "objectId" FROM test_instance WHERE id = $1`,
        [testinstance_id],
      );
      if (row === undefined || (testobject_id !== undefined && row.objectId !== testobject_id))
        throw notFound("instance", testinstance_id);
      return { objectId: row.objectId, instanceId: testinstance_id, index };
    }
    if (testobject_id === undefined)
      throw invalidInput([
        {
          path: "query.testobject_id",
          message: "is missing; set testobject_id or testinstance_id to say where to search",
        },
      ]);
    await requireObject(this.db, testobject_id);
    return { objectId: testobject_id, instanceId: null, index };
  }

  /**
   * Returns one page of results.
   * @param signal aborts the search when nobody waits for it any more
   */
  async results(
    asked: Asked,
    where: Where,
    page: { after: Place | null; limit: number },
    signal: AbortSignal,
    listener?: Listener,
  ): Promise<ResultsAnswer> {
    if (phraseOf(asked) === "") return { items: [], next: null, partial: null };
    const known = page.after === null ? undefined : this.known(asked, where);
    const finding = findingOf(asked, where, signal, listener);
    const matches =
      known ??
      (await unlessGivenUp(signal, async () => {
        const plan = await planFor(this.deps, finding);
        return (await this.walk(finding, plan, where, page, listener)) ?? this.find(asked, where, finding, plan);
      }));
    signal.throwIfAborted();
    if ("items" in matches) return matches;
    return { ...(await readResults(this.db, where, matches.counts, page.after, page.limit)), partial: matches.partial };
  }

  /** Returns some results from contents that were found just now, while the search goes on. */
  async early(where: Where, counts: Counts, limit: number): Promise<ResultPage> {
    // each content has at least one snapshot; thousands of hashes in one statement would cost more than the search
    return readResults(this.db, where, new Map([...counts].slice(0, limit)), null, limit);
  }

  /**
   * Finds one page of results for a frequent phrase without searching everything.
   * @returns null where the phrase is too rare for that
   */
  private async walk(
    finding: Finding,
    plan: QueryPlan,
    where: Where,
    { after, limit }: { after: Place | null; limit: number },
    listener: Listener | undefined,
  ): Promise<ResultsAnswer | null> {
    if (where.instanceId !== null || !isWide(plan)) return null;
    const counts = new Map<ContentKey, number>();
    const counted = new Set<ContentKey>();
    const countIn = async (contents: readonly ContentKey[]): Promise<Counts | null> => {
      const fresh = contents.filter((key) => !counted.has(key));
      const isLate = finding.signal.aborted || performance.now() >= finding.deadline;
      if (isLate || counted.size + fresh.length > walkContents + limit * 2) return null;
      for (const key of fresh) counted.add(key);
      for (const [key, count] of await countInContents(this.deps, finding, plan, fresh)) counts.set(key, count);
      return counts;
    };
    const page = await walkResults(this.db, where, after, limit, countIn, walkStretches);
    if (page !== null)
      return { ...page, partial: partialWords({ late: null, unseen: false, problems: plan.problems }) };
    if (counts.size > 0) listener?.({ searched: 0, total: totalOf(plan), found: counts });
    return null;
  }

  async summary(asked: Asked, signal: AbortSignal): Promise<SearchSummary> {
    const where = await this.whereOf(asked);
    const matches =
      phraseOf(asked) === ""
        ? { counts: new Map<ContentKey, number>(), total: 0, partial: null }
        : await this.matches(asked, where, true, signal);
    return { ...(await selectSummary(this.db, where, matches)), partial: matches.partial };
  }

  async history(
    asked: Asked,
    page: { after: string | null; limit: number },
    signal: AbortSignal,
  ): Promise<{ items: PhraseHistory[]; next: string | null; partial: string | null }> {
    const where = await this.whereOf(asked);
    if (phraseOf(asked) === "") return { items: [], next: null, partial: null };
    const { counts, partial } = await this.matches(asked, where, page.after !== null, signal);
    if (counts.size === 0) return { items: [], next: null, partial };
    const rows = await selectHistory(this.db, where, counts, page.after, page.limit + 1);
    const shown = rows.slice(0, page.limit);
    return {
      items: shown.map(toHistory),
      next: rows.length > page.limit ? (shown.at(-1)?.url ?? null) : null,
      partial,
    };
  }

  /**
   * Finds the lines of one page on which a phrase begins.
   * @throws AppError unavailable where it takes too long
   */
  lines(task: LinesTask): Promise<SnapshotMatches> {
    return this.deps.pool.lines(task);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.deps.pool.close();
  }

  /** @param again whether cached matches of the same search will do */
  private async matches(asked: Asked, where: Where, again: boolean, signal: AbortSignal): Promise<ContentMatches> {
    const known = again ? this.known(asked, where) : undefined;
    if (known !== undefined) return known;
    const finding = findingOf(asked, where, signal);
    return unlessGivenUp(signal, async () => this.find(asked, where, finding, await planFor(this.deps, finding)));
  }

  private known(asked: Asked, where: Where): ContentMatches | undefined {
    const known = this.kept.get(keyOf(asked, where));
    return known !== undefined && known.until > performance.now() ? known.matches : undefined;
  }

  private async find(asked: Asked, where: Where, finding: Finding, plan: QueryPlan): Promise<ContentMatches> {
    const matches = await findContents(this.deps, finding, plan);
    const key = keyOf(asked, where);
    if (matches.partial === null) this.keep(key, matches);
    else this.kept.delete(key);
    return matches;
  }

  private keep(key: string, matches: ContentMatches): void {
    this.kept.delete(key);
    this.kept.set(key, { matches, until: performance.now() + keptMs });
    let contents = 0;
    for (const entry of this.kept.values()) contents += entry.matches.counts.size + 1;
    for (const [oldest, entry] of this.kept) {
      if (contents <= keptContentsMax && entry.until > performance.now()) return;
      this.kept.delete(oldest);
      contents -= entry.matches.counts.size + 1;
    }
  }
}

/** The phrase as it occurs in the searched texts. */
export function phraseOf({ q, scope }: Pick<Asked, "q" | "scope">): string {
  return scope === "text" ? visiblePhrase(q) : q;
}

function findingOf(asked: Asked, where: Where, signal: AbortSignal, listener?: Listener): Finding {
  const { scope, time_ms } = asked;
  return {
    objectId: where.objectId,
    instanceId: where.instanceId,
    scope,
    needle: makeNeedle(phraseOf(asked)),
    known: new Map(),
    deadline: performance.now() + time_ms,
    signal,
    ...(listener === undefined ? {} : { onProgress: (searched, total, found) => listener({ searched, total, found }) }),
  };
}

function keyOf({ q, scope }: Asked, { objectId, instanceId }: Where): string {
  return `${objectId}:${instanceId ?? ""}:${scope}:${q}`;
}

async function unlessGivenUp<Result>(signal: AbortSignal, search: () => Promise<Result>): Promise<Result> {
  try {
    return await search();
  } catch (error) {
    if (signal.aborted)
      throw new AppError("cancelled", "The search was given up because nobody waits for it.", { cause: error });
    throw error;
  }
}

function totalOf({ packs, tail }: QueryPlan): number {
  return packs.reduce((sum, { documents }) => sum + documents, tail.length);
}

/** Whether the phrase may occur in many places. */
function isWide({ packs, tail }: QueryPlan): boolean {
  return packs.reduce((sum, { candidates }) => sum + (candidates?.length ?? fewFrames + 1), tail.length) > fewFrames;
}

function toHistory(row: HistoryRow): PhraseHistory {
  const seen = ({ id, number, at }: { id: string; number: number; at: string }) => ({
    snapshotId: id,
    snapshotNumber: number,
    snapshotCreatedAt: new Date(at).toISOString(),
  });
  return {
    testInstanceId: row.id,
    testInstanceName: row.name,
    testInstanceUrl: row.url,
    snapshots: row.snapshots,
    snapshotsWith: row.snapshotsWith,
    present: row.present,
    first: seen(row.first),
    last: seen(row.last),
    events: row.events.map((event) => ({
      ...seen(event),
      kind: event.before === 0 ? "added" : event.n === 0 ? "removed" : event.n > event.before ? "more" : "fewer",
      matchCount: event.n,
      matchCountBefore: event.before,
      previousId: event.previousId,
    })),
    eventsTotal: row.eventsTotal,
  };
}
