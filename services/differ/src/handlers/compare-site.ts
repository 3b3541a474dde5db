import { jobWords } from "@web-tester/contracts/job-lines";
import type { ComparedPart } from "@web-tester/contracts/entities/comparison";
import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import type { ChangedFact, ChangedFile } from "@web-tester/contracts/entities/snapshot";
import { AppError } from "@web-tester/contracts/errors";
import type { MessageBody, OriginMap } from "@web-tester/contracts/messages";
import { type Bus, type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { changedFacts, type SnapshotFacts } from "@web-tester/records/changes/changed-facts";
import {
  type ComparedPage,
  type PendingPage,
  recordPages,
  takePages,
} from "@web-tester/records/comparisons/compare-pages";
import { rulesInForce } from "@web-tester/records/rules/ignore-rules";
import { type ComparisonRun, finishComparison, selectComparisonRun } from "@web-tester/records/runs/comparison-run";
import { comparisonProgress, type RunProgress } from "@web-tester/records/runs/run-progress";
import { pathOf } from "@web-tester/signal/rules/rule-set";
import { type SiteMaps, siteMapsOf } from "@web-tester/urls/site-maps";
import { keepWorking } from "@web-tester/worker/keep-working";
import type { PairCount } from "../pure/count-pair.js";
import { untoldHead, withBeside } from "../pure/pair-signal.js";
import { readAsOrigin } from "../pure/read-as-origin.js";
import { compareFiles } from "../steps/compare-files.js";
import type { Comparer } from "../steps/comparer.js";

export interface CompareSiteDeps {
  db: Database;
  bus: Bus;
  comparer: Comparer;
  /** Aborted when the process is to end; the comparison continues in another process or after the next start. */
  signal: AbortSignal;
  onGivenUp(pageId: string, error: unknown): void;
}

const retryInMs = 1_000;
const pagesAtOnce = 100;
/** Attempts at a page, the last ones alone, before it counts as different without counts. */
const triesMax = 6;
/** Changed files that are listed per page; all are counted. */
const filesKeptMax = 100;

/**
 * Handler of `compare`: compares the pages of a comparison that differ, by the object's present rules. Delivered twice, or
 * again after a crash, it continues with the pages that are left.
 */
export function createCompareSite(deps: CompareSiteDeps) {
  const { db, bus, signal } = deps;
  const tell = (run: RunProgress) => bus.publishEvent(comparisonProgress(run));
  return async (
    { runId }: MessageBody<"compare">,
    delivery: Pick<Delivery, "working" | "ackWaitMs">,
  ): Promise<Outcome> =>
    keepWorking(delivery, async () => {
      for (;;) {
        if (signal.aborted) return { done: false, retryInMs };
        const run = await selectComparisonRun(db, runId);
        if (run === null) return done;
        const pages = await takePages(db, runId, pagesAtOnce);
        if (pages.length === 0) {
          const ended = await finishComparison(db, runId);
          if (ended === null) continue;
          tell(ended);
          bus.logLine(runId, "info", jobWords("compared", { changed: ended.changed, total: ended.total }));
          return done;
        }
        // read for each part: a rule that is made meanwhile applies to the following pages
        const moved = await recordPages(db, run, await compareEach(pages, await byOf(db, run), deps));
        if (moved !== null) tell(moved);
      }
    });
}

async function compareAll(
  pages: readonly PendingPage[],
  by: By,
  { db, comparer }: CompareSiteDeps,
): Promise<ComparedPage[]> {
  const { rules } = by;
  const asked = pages.filter(hasContents);
  const [counts, files] = await Promise.all([
    comparer.count(asked.map((page) => ({ sides: sidesOf(page, by), path: pathOf(page.url), rules, form: by.form }))),
    compareFiles(
      db,
      pages.map(({ otherId, oneId, filesDiffer }) => ({ id: otherId, previousId: oneId, filesDiffer })),
      by.maps?.address,
    ),
  ]);
  const counted = counts.values();
  return pages.map((page) =>
    resultOf(page, hasContents(page) ? counted.next().value : undefined, files.get(page.otherId) ?? [], by),
  );
}

/**
 * Compares all pages together; where that fails each alone, so that one page that cannot be compared does not block the others.
 */
async function compareEach(pages: readonly PendingPage[], by: By, deps: CompareSiteDeps): Promise<ComparedPage[]> {
  const giveUp = (page: PendingPage, error: unknown): ComparedPage => {
    deps.onGivenUp(page.id, error);
    return unseen(page);
  };
  const [hopeful, hopeless] = [
    pages.filter(({ attempts }) => attempts <= triesMax),
    pages.filter(({ attempts }) => attempts > triesMax),
  ];
  const given = hopeless.map((page) => giveUp(page, new Error(`it was tried ${triesMax} times`)));
  try {
    return [...given, ...(await compareAll(hopeful, by, deps))];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  const found = given;
  for (const page of hopeful)
    found.push(
      ...(await compareAll([page], by, deps).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        return [giveUp(page, error)];
      })),
    );
  return found;
}

/** What pages are compared by: the rules of both sites, and how their addresses are read. */
interface By {
  rules: readonly AppliedRule[];
  /** Undefined for one site, or two of one host. */
  maps: SiteMaps | undefined;
  /** The parts of pages that count. */
  parts: ReadonlySet<ComparedPart>;
  /** `text` where of contents only what a reader gets counts. */
  form: "text" | undefined;
}

const allParts: readonly ComparedPart[] = ["text", "source", "files", "status"];

async function byOf(
  db: Database,
  { objectId, objectUrl, otherId, otherUrl, parts: asked }: ComparisonRun,
): Promise<By> {
  const inForce = await rulesInForce(db, otherId === null ? [objectId] : [objectId, otherId]);
  const all = [objectId, otherId].flatMap((id) => (id === null ? [] : (inForce.get(id) ?? [])));
  const parts = new Set(asked ?? allParts);
  return {
    parts,
    form: parts.has("text") && !parts.has("source") ? "text" : undefined,
    // a rule that holds for all objects is in both lists
    rules: [...new Map(all.map((rule) => [rule.id, rule])).values()],
    maps: otherUrl === null ? undefined : siteMapsOf(otherUrl, objectUrl),
  };
}

type WithContents = PendingPage & { oneHash: string; otherHash: string };

/** Whether both pages have a content, and the contents differ. */
const hasContents = (page: PendingPage): page is WithContents =>
  page.oneHash !== null && page.otherHash !== null && page.oneHash !== page.otherHash;

const sidesOf = (page: WithContents, { maps }: By) =>
  [
    { sha256: page.oneHash, charset: page.oneCharset ?? "utf-8", readAs: maps?.older },
    { sha256: page.otherHash, charset: page.otherCharset ?? "utf-8", readAs: maps?.newer },
  ] as const;

const nothing = { significant: false, changes: 0, ignored: 0, hunks: [], head: untoldHead };

/**
 * The result for a page that differs without anybody knowing how: its snapshots were removed meanwhile, or could not be compared.
 */
const unseen = ({ id }: PendingPage): ComparedPage => ({
  ...{ id, ...nothing, differs: true, significant: true },
  ...{ added: 0, removed: 0, filesChanged: 0, files: null, facts: null },
});

function resultOf(
  page: PendingPage,
  count: PairCount | undefined,
  allFiles: readonly ChangedFile[],
  { rules, maps, parts }: By,
): ComparedPage {
  if (page.oneHash === null || page.otherHash === null) return unseen(page);
  const { added, removed, heads, signal: ofContent } = count ?? { added: 0, removed: 0, heads: null, signal: nothing };
  const allFacts = changedFacts(factsAs(page.oneFacts, maps?.address), page.otherFacts, heads);
  const signal = parts.has("source") || parts.has("text") ? ofContent : nothing;
  const files = parts.has("files") ? allFiles : [];
  const facts = allFacts.filter((fact) => partsOfFact(fact).some((part) => parts.has(part)));
  // pages that contain their own site's addresses differ in their bytes, but in nothing that anybody would call different
  const isOther = count !== undefined && (maps === undefined || added + removed > 0);
  return {
    ...{ id: page.id, ...(signal === ofContent ? { added, removed } : { added: 0, removed: 0 }) },
    ...withBeside(signal, { path: pathOf(page.url), rules, files, facts, isOtherMode: page.isOtherMode }),
    differs: isOther || allFiles.length + allFacts.length > 0,
    filesChanged: files.length,
    files: files.length === 0 ? null : files.slice(0, filesKeptMax),
    facts: facts.length === 0 ? null : facts,
  };
}

/** The parts of a page that a fact belongs to: the head is written in the content, and read by machines as headers are. */
const partsOfFact = ({ fact }: ChangedFact): readonly ComparedPart[] =>
  fact === "title" ? ["text", "source"] : fact === "canonical" || fact === "robots" ? ["source", "status"] : ["status"];

/** The facts of a page of another site, read as if it were a page of this one. */
function factsAs(facts: SnapshotFacts, readAs: OriginMap | undefined): SnapshotFacts {
  if (readAs === undefined) return facts;
  const read = (text: string) => readAsOrigin(Buffer.from(text), readAs).toString();
  const header = (value: SnapshotFacts["csp"]) =>
    value === null ? null : typeof value === "string" ? read(value) : value.map(read);
  return {
    ...facts,
    redirectedTo: facts.redirectedTo === null ? null : read(facts.redirectedTo),
    csp: header(facts.csp),
  };
}
