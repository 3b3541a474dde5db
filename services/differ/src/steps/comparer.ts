import { resolve } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Learned } from "@web-tester/signal/learn/learned";
import type { AppliedRule, SuggestedRule } from "@web-tester/contracts/entities/rule";
import type { ContentForm, DiffType, FormChoice } from "@web-tester/contracts/entities/vocabulary";
import { AppError } from "@web-tester/contracts/errors";
import type { DiffResult, OriginMap, TextMarks } from "@web-tester/contracts/messages";
import { createSlots } from "@web-tester/platform/bus/slots";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { limitTime, limitWork, type TimeLimit } from "@web-tester/worker/time-limit";
import { Piscina } from "piscina";
import type { LongDiff, ProbedPage, Task, Work } from "./compare-worker.js";
import type { SoughtLine } from "../pure/keeps-line.js";
import type { DocumentPair, PairCount } from "../pure/count-pair.js";
import type { Asked } from "../pure/pair-signal.js";
import { readAsOrigin } from "../pure/read-as-origin.js";
import type { IgnoredPlace } from "../pure/suggest-rules.js";
import { type Document, packDocuments } from "../pure/packed-documents.js";

/** The hash of stored bytes and the charset to decode them with. */
export interface Side {
  sha256: string;
  charset: string;
  /** Read addresses of one origin as those of another. */
  readAs?: OriginMap | undefined;
}

export type Pair = readonly [older: Side, newer: Side];
/** Pairs of one object share their rules. */
export type AskedPair = Asked & { sides: Pair };

/**
 * Compares stored documents in worker threads, so that no document can delay the others for longer than its limit, and the
 * garbage of comparing stays in a small heap there.
 */
export interface Comparer {
  /** Returns for each pair, in order, the changed lines, the heads where these differ, and which changes matter. */
  count(pairs: readonly AskedPair[]): Promise<PairCount[]>;
  /** Returns the words that only one of the pages shows. */
  mark(a: Side, b: Side): Promise<TextMarks>;
  compare(
    a: Side,
    b: Side,
    by: DiffType,
    context: number,
    as: FormChoice,
    asked: Asked,
  ): Promise<DiffResult | LongDiff>;
  /** Returns the narrowest rules that silence the changed block at a line of one side, or what changed in some elements. */
  suggest(a: Side, b: Side, at: IgnoredPlace, asked: Asked): Promise<SuggestedRule[]>;
  /** Groups pages by template. @returns positions in the list, the largest group first */
  group(pages: readonly Side[]): Promise<number[][]>;
  /** Returns the narrowest rules for what differs between two fetches of pages of one template. */
  learn(probes: readonly (ProbedPage & { sides: Pair })[], rules: readonly AppliedRule[]): Promise<Learned[]>;
  /**
   * Returns rules for what differs at every fetch, or goes back and forth, over versions of pages of one template, the
   * oldest first.
   */
  learnHistory(
    pages: readonly { path: string; versions: readonly Side[] }[],
    rules: readonly AppliedRule[],
  ): Promise<Learned[]>;
  /** Returns lines of a document in one of its forms, 1-based and inclusive. */
  lines(of: Side, as: ContentForm, from: number, to: number): Promise<string[]>;
  /** Returns one line (from 1), to be looked for in other versions; null where there are fewer. */
  line(of: Side, as: ContentForm, line: number): Promise<SoughtLine | null>;
  /** Whether a document in one of its forms contains a text, or the line of another document. */
  has(version: Side, as: ContentForm, sought: { text: string } | LineOf): Promise<boolean>;
  /** Ends when all is done that was begun. */
  close(): Promise<void>;
  /** Ends at once; what was begun fails. */
  destroy(): Promise<void>;
}

/** A line of a document, as `line` returns it. */
export interface LineOf {
  of: Side;
  line: number;
  sought: SoughtLine;
}

/** A comparison that took too long or too much memory: its documents are the reason, not a fault of the product. */
export class ComparisonStopped extends AppError {
  constructor(advice: string, cause: unknown) {
    super("unavailable", `Comparing these two snapshots took too long or too much memory and was stopped. ${advice}`, {
      cause,
    });
  }
}

/** Longer than the time limit inside the engine (which then gives a coarser answer): a worker this late hangs and is ended. */
const workerDeadlineMs = 12_000;
/** The generous limit of learning tasks: nobody waits for them. */
const learning = () => limitWork(120_000);
/** Pairs are collected for one task until they have this many bytes. */
const togetherBytes = 1024 * 1024;
/** Time after which the event loop is yielded: reading from a folder never yields by itself. */
const turnMs = 10;
/** Pairs of documents that are read at once. */
const pairsAtOnce = 4;

/** A pair for another thread, and the index for its counts. */
interface Waiting {
  place: number;
  pair: DocumentPair;
  asked: Asked;
}

/** @param idleThreads threads that are kept when there is nothing to do; more are started when they are needed, which takes 0.1 s */
export function createComparer(store: ObjectStore, threads: number, idleThreads: 0 | 1 = 1): Comparer {
  const slots = createSlots(threads);
  const pool = new Piscina<
    Task,
    PairCount[] | TextMarks | DiffResult | LongDiff | string[] | SuggestedRule[] | Learned[] | number[][] | boolean
  >({
    filename: resolve(import.meta.dirname, "compare-worker.js"),
    minThreads: idleThreads,
    maxThreads: threads,
    idleTimeout: 60_000,
    // comparing makes much short-lived garbage: in a nursery of 8 MB, which the forms of a few pages fill, 10,000 pairs took 33 s of CPU, in
    // one of 32 MB or more 18 s, for 20 MB of memory
    resourceLimits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32 },
  });

  async function read({ sha256, charset, readAs }: Side): Promise<Document> {
    const bytes = await store.read(Buffer.from(sha256, "hex"));
    return { bytes: readAs === undefined ? bytes : readAsOrigin(bytes, readAs), charset };
  }

  async function readPair([one, other]: Pair): Promise<DocumentPair> {
    return Promise.all([read(one), read(other)]);
  }

  /** A task that waits for a thread is not to blame for those before it: its limit begins with its work. */
  async function run<Result>(
    task: Work,
    documents: readonly Document[],
    begin: () => TimeLimit = () => limitTime(workerDeadlineMs, () => 0),
  ): Promise<Result> {
    const giveBack = await slots.take();
    const limit = begin();
    try {
      const packed = packDocuments(documents);
      // the worker's module declares what it returns for each task
      return (await pool.run({ ...task, ...packed }, { transferList: [packed.bytes], signal: limit.signal })) as Result;
    } catch (error) {
      throw new ComparisonStopped(
        task.kind === "compare" && task.by !== "lines" ? "Try comparing by line." : "Try again when less is going on.",
        error,
      );
    } finally {
      limit.end();
      giveBack();
    }
  }

  async function countElsewhere(waiting: readonly Waiting[], counts: PairCount[]): Promise<void> {
    if (waiting.length === 0) return;
    const documents = waiting.flatMap(({ pair }) => pair);
    const sets = [...new Set(waiting.map(({ asked }) => asked.rules))];
    const of = waiting.map(({ asked }) => ({
      path: asked.path,
      set: sets.indexOf(asked.rules),
      form: asked.form,
    }));
    const found = await run<PairCount[]>({ kind: "count", sets, of }, documents, () => limitWork(workerDeadlineMs));
    for (const [index, { place }] of waiting.entries()) {
      const count = found[index];
      if (count !== undefined) counts[place] = count;
    }
  }

  return {
    async count(pairs) {
      const counts: PairCount[] = [];
      let together: Waiting[] = [];
      let bytes = 0;
      // one task runs while the next one is read; more would only wait, in memory
      let current = Promise.resolve();
      let turnBegan = performance.now();
      const hand = async () => {
        const handed = together;
        together = [];
        bytes = 0;
        await current;
        current = countElsewhere(handed, counts);
        current.catch(() => undefined); // thrown where it is awaited
      };
      for (let first = 0; first < pairs.length; first += pairsAtOnce) {
        const part = pairs.slice(first, first + pairsAtOnce);
        const next = await Promise.all(part.map(async (asked) => ({ asked, pair: await readPair(asked.sides) })));
        for (const [index, { asked, pair }] of next.entries()) {
          if (performance.now() - turnBegan > turnMs) {
            await otherWork();
            turnBegan = performance.now();
          }
          together.push({ place: first + index, pair, asked });
          for (const document of pair) bytes += document.bytes.length;
          if (bytes >= togetherBytes) await hand();
        }
      }
      await hand();
      await current;
      return counts;
    },
    mark: async (a, b) => run<TextMarks>({ kind: "mark" }, await readPair([a, b])),
    compare: async (a, b, by, context, as, asked) =>
      run<DiffResult | LongDiff>({ kind: "compare", by, context, as, asked }, await readPair([a, b])),
    suggest: async (a, b, at, asked) => run<SuggestedRule[]>({ kind: "suggest", at, asked }, await readPair([a, b])),
    group: async (pages) => run<number[][]>({ kind: "group" }, await Promise.all(pages.map(read)), learning),
    learn: async (probes, rules) => {
      const documents = (await Promise.all(probes.map(({ sides }) => readPair(sides)))).flat();
      return run<Learned[]>(
        {
          kind: "learn",
          pages: probes.map(({ path, isHistory, isElsewhere }) => ({ path, isHistory, isElsewhere })),
          rules,
        },
        documents,
        learning,
      );
    },
    learnHistory: async (pages, rules) =>
      run<Learned[]>(
        {
          kind: "learn history",
          pages: pages.map(({ path, versions }) => ({ path, versions: versions.length })),
          rules,
        },
        await Promise.all(pages.flatMap(({ versions }) => versions.map(read))),
        learning,
      ),
    lines: async (of, as, from, to) => run<string[]>({ kind: "lines", as, from, to }, [await read(of)]),
    line: async (of, as, line) => run<SoughtLine | null>({ kind: "line", as, line }, [await read(of)]),
    has: async (version, as, sought) => {
      if ("text" in sought) return run<boolean>({ kind: "has text", as, text: sought.text }, [await read(version)]);
      const found = await run<boolean | null>({ kind: "has line", as, sought: sought.sought }, [await read(version)]);
      return found ?? run<boolean>({ kind: "keeps line", as, line: sought.line }, await readPair([sought.of, version]));
    },
    close: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}
