import { jobWords } from "@web-tester/contracts/job-lines";
import { titleOf } from "@web-tester/contracts/rule-title";
import type { AppliedRule, RuleSpec } from "@web-tester/contracts/entities/rule";
import { AppError } from "@web-tester/contracts/errors";
import { type MessageBody, questions } from "@web-tester/contracts/messages";
import { type Bus, type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { insertRule, rulesInForce, selectRules } from "@web-tester/records/rules/ignore-rules";
import { type EvaluationStart, startEvaluation } from "@web-tester/records/runs/evaluation-run";
import {
  countProbed,
  finishNoise,
  type NoisePage,
  type NoiseRun,
  selectNoiseFiles,
  selectNoisePages,
  selectNoiseRun,
  setProbes,
} from "@web-tester/records/runs/noise-run";
import { rulesProgress } from "@web-tester/records/runs/run-progress";
import { hidesAnyWords } from "@web-tester/contracts/rule-width";
import { rulesForFiles } from "@web-tester/signal/learn/file-rules";
import type { Learned } from "@web-tester/signal/learn/learned";
import { shareMax } from "@web-tester/signal/learn/learn-rules";
import { specOf } from "@web-tester/signal/rules/compile-rule";
import { pathOf } from "@web-tester/signal/rules/rule-set";
import { keepWorking } from "@web-tester/worker/keep-working";
import { setTimeout as sleep } from "node:timers/promises";
import { type Comparer, ComparisonStopped, type Pair, type Side } from "../steps/comparer.js";
import { createPatientAsk } from "../steps/patient-ask.js";
import { probeFiles } from "../steps/probe-files.js";

export interface FindNoiseDeps {
  db: Database;
  bus: Bus;
  comparer: Comparer;
  /** Aborted when the process is to end; the search starts over in another process or after the next start. */
  signal: AbortSignal;
}

/** The most pages that are grouped by template. */
const sampledMax = 200;
/** The most pages of one template that are fetched twice; of all templates together, `probedMax`. */
const perTemplateMax = 20;
/**
 * The most pages of each other template (`perOtherMax`), and of all of them (`othersMax`), whose unchanging parts a rule
 * must not hide.
 */
const perOtherMax = 3;
const othersMax = 15;
const probedMax = 60;
const probesAtOnce = 4;
/** The time between two fetches, long enough for a clock with seconds to go on. */
const betweenMs = 2_500;
const retryInMs = 1_000;
/** The most files that are fetched twice, those of most pages first. */
const filesMax = 40;
/** The most fetches beyond the second, where a place shows texts in turn and not all of them may have been seen. */
const furtherMax = 3;

interface Probed {
  path: string;
  /** The page's content at each fetch, the oldest first. */
  versions: Side[];
}
interface ProbedPair {
  path: string;
  sides: Pair;
  isHistory: boolean;
  isElsewhere: boolean;
}

/**
 * Handler of `noise`: fetches some pages of each template twice and makes rules from the differences. Delivered twice, or
 * again after a crash, it starts over; a rule that exists already is not made again.
 */
export function createFindNoise({ db, bus, comparer, signal }: FindNoiseDeps) {
  const fetchers = { ask: createPatientAsk(bus, signal) };

  async function probe(page: Pick<NoisePage, "id">): Promise<Side | null> {
    const { subject, timeoutMs, reply } = questions.probe;
    try {
      const found = reply.parse(await fetchers.ask(subject, { instanceId: page.id }, timeoutMs));
      return "sha256" in found ? found : null;
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  /** @returns null where the run was stopped meanwhile */
  async function probeTwice(run: NoiseRun, pages: readonly NoisePage[]): Promise<Map<string, Probed> | null> {
    const first = new Map<string, Side>();
    const found = new Map<string, Probed>();
    let failed = 0;
    const began = performance.now();
    await several(pages, async (page) => {
      const side = await probe(page);
      if (side !== null) first.set(page.id, side);
    });
    await sleep(Math.max(0, betweenMs - (performance.now() - began)));
    let isStopped = false;
    await several(pages, async (page) => {
      if (isStopped) return;
      const [older, newer] = [first.get(page.id), first.has(page.id) ? await probe(page) : null];
      if (older === undefined || newer === null) failed += 1;
      else found.set(page.id, { path: pathOf(page.url), versions: [older, newer] });
      const progress = await countProbed(db, run.id, found.size + failed, failed);
      if (progress === null) isStopped = true;
      else bus.publishEvent(rulesProgress({ ...progress, state: "running" }));
    });
    return isStopped ? null : found;
  }

  /** Fetches the pages once more. @returns false where the run was stopped meanwhile */
  async function probeAgain(run: NoiseRun, pages: readonly NoisePage[], probed: Map<string, Probed>): Promise<boolean> {
    await sleep(betweenMs);
    const failed = pages.length - probed.size;
    let isRunning = true;
    await several(pages, async ({ id }) => {
      const known = probed.get(id);
      if (known === undefined || !isRunning) return;
      const side = await probe({ id });
      if (side !== null) known.versions.push(side);
      isRunning = (await countProbed(db, run.id, pages.length, failed)) !== null;
    });
    return isRunning && !signal.aborted;
  }

  async function several(pages: readonly NoisePage[], work: (page: NoisePage) => Promise<void>): Promise<void> {
    const waiting = pages.values();
    const worker = async () => {
      for (const page of waiting) {
        if (signal.aborted) return;
        await work(page);
      }
    };
    await Promise.all(Array.from({ length: probesAtOnce }, worker));
  }

  /** Chooses pages of each template, the same number of each while `probedMax` lasts. */
  async function choose(run: NoiseRun): Promise<NoisePage[][]> {
    const pages = await selectNoisePages(db, run.objectId, sampledMax);
    const asked = pages.map(({ hash, charset }) => ({ sha256: hash, charset: charset ?? "utf-8" }));
    const groups = await unlessStopped(run, pages, comparer.group(asked));
    const each = Math.min(perTemplateMax, Math.max(2, Math.floor(probedMax / Math.max(1, groups.length))));
    let left = probedMax;
    return groups.flatMap((group) => {
      const chosen = group.slice(0, Math.min(each, left)).flatMap((index) => pages[index] ?? []);
      left -= chosen.length;
      return chosen.length === 0 ? [] : [chosen];
    });
  }

  /**
   * Returns what work finds, nothing where it was stopped for taking too long: started over, the search would end the same
   * way every time.
   */
  async function unlessStopped<Found>(
    run: NoiseRun,
    group: readonly NoisePage[],
    work: Promise<Found[]>,
  ): Promise<Found[]> {
    try {
      return await work;
    } catch (error) {
      const [first] = group;
      if (!(error instanceof ComparisonStopped) || signal.aborted || first === undefined) throw error;
      bus.logLine(run.id, "warn", jobWords("noise-left-out", { n: group.length, url: first.url }));
      return [];
    }
  }

  async function learn(
    run: NoiseRun,
    groups: readonly NoisePage[][],
    probed: ReadonlyMap<string, Probed>,
    rules: readonly AppliedRule[],
  ) {
    const learned: Learned[] = [];
    for (const group of groups) {
      const probes = group.flatMap((page) => versionsOf(page, probed.get(page.id)));
      const known = [...rules, ...learned.filter(mayApply).map((one, index) => applied(one, `known-${index}`))];
      const others = groups
        .filter((other) => other !== group)
        .flatMap((other) => other.flatMap((page) => elsewhere(probed.get(page.id))).slice(0, perOtherMax));
      if (probes.length === 0) continue;
      const found = comparer.learn([...probes, ...others.slice(0, othersMax)], known);
      learned.push(...(await unlessStopped(run, group, found)));
    }
    return learned;
  }

  /** Learns rules from places that differed at each of the last fetches, or alternated: these rules are only proposed. */
  async function learnPast(
    run: NoiseRun,
    groups: readonly NoisePage[][],
    rules: readonly AppliedRule[],
  ): Promise<Learned[]> {
    const learned: Learned[] = [];
    for (const group of groups) {
      const pages = group
        .filter(({ past }) => past.length > 1)
        .map(({ url, past }) => ({ path: pathOf(url), versions: past }));
      const known = [...rules, ...learned.map((one, index) => applied(one, `past-${index}`))];
      if (pages.length > 0) learned.push(...(await unlessStopped(run, group, comparer.learnHistory(pages, known))));
    }
    return learned;
  }

  /**
   * Stores the learned rules. @returns the evaluations to start, and how many rules were made; null where the run was
   * stopped meanwhile
   */
  async function keep(
    run: NoiseRun,
    learned: readonly Learned[],
  ): Promise<[started: EvaluationStart[], made: number] | null> {
    return db.transaction(async (tx) => {
      const there = await selectRules(tx, run.objectId);
      const specs = new Set(there.map(({ spec }) => JSON.stringify(specOf(spec))));
      const known = new Set(there.map(({ spec, path }) => keyOf(spec, path)));
      let [made, isApplied] = [0, false];
      for (const one of learned) {
        // the same place may be noise on pages of several templates, each with its own path
        const keys = [keyOf(one.spec, one.path), keyOf(one.spec)];
        if (
          keys.some((key) => known.has(key)) ||
          (one.path === undefined && specs.has(JSON.stringify(specOf(one.spec))))
        )
          continue;
        known.add(keyOf(one.spec, one.path));
        made += 1;
        const applies = run.apply && mayApply(one);
        isApplied ||= applies;
        await insertRule(tx, {
          ...{
            objectId: run.objectId,
            spec: one.spec,
            path: one.path ?? "*",
            enabled: true,
            author: "noise",
            evidence: one.evidence,
          },
          note: titleOf(one.spec).slice(0, 200),
          state: applies ? "active" : "proposed",
        });
      }
      const finished = await finishNoise(tx, run.id, made);
      if (finished === null) return null;
      const started = isApplied ? await startEvaluation(tx, run.objectId) : [];
      return [started, made];
    });
  }

  async function search(run: NoiseRun): Promise<void> {
    const groups = await choose(run);
    const pages = groups.flat();
    if ((await setProbes(db, run.id, pages.length)) === null) return;
    const ids = pages.map(({ id }) => id);
    const files = run.fetch ? await selectNoiseFiles(db, ids, filesMax) : [];
    const filesBefore = await probeFiles(fetchers, files, signal);
    const probed = run.fetch ? await probeTwice(run, pages) : new Map<string, Probed>();
    if (probed === null || signal.aborted) return;
    const filesAfter = await probeFiles(
      fetchers,
      files.filter(({ url }) => filesBefore.has(url)),
      signal,
    );
    const rules = (await rulesInForce(db, [run.objectId])).get(run.objectId) ?? [];
    let learned = await learn(run, groups, probed, rules);
    for (let more = 0; more < furtherMax && learned.some(({ mayBeList }) => mayBeList === true); more += 1) {
      if (!(await probeAgain(run, pages, probed))) return;
      learned = await learn(run, groups, probed, rules);
    }
    const hiding = learned.map((one, index) => applied(one, `found-${index}`));
    const ofFiles = rulesForFiles(files, [filesBefore, filesAfter], { looked: pages.length, rules });
    const kept = await keep(run, [...learned, ...ofFiles, ...(await learnPast(run, groups, [...rules, ...hiding]))]);
    if (kept === null) return;
    const [started, made] = kept;
    const counts = { total: pages.length, completed: pages.length, failed: 0, changed: 0, found: 0 };
    bus.publishEvent(
      rulesProgress({ id: run.id, test_object_id: run.objectId, kind: "noise", state: "finished", ...counts }),
    );
    const looked = run.fetch ? probed.size : pages.length;
    bus.logLine(
      run.id,
      "info",
      run.apply
        ? jobWords(run.fetch ? "noise-twice-in-force" : "noise-past-in-force", { pages: looked, made })
        : jobWords(run.fetch ? "noise-twice-proposed" : "noise-past-proposed", { pages: looked, made }),
    );
    await bus.publish(
      started.map(({ id, generation }) => ({ name: "evaluate", body: { runId: id }, dedupeId: `${id}:${generation}` })),
    );
  }

  return async ({ runId }: MessageBody<"noise">, delivery: Pick<Delivery, "working" | "ackWaitMs">): Promise<Outcome> =>
    keepWorking(delivery, async () => {
      const run = await selectNoiseRun(db, runId);
      if (run === null) return done;
      try {
        await search(run);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      return signal.aborted ? { done: false, retryInMs } : done;
    });
}

/** The pairs of consecutive fetches of a page, and those of its snapshots of the last minutes before them. */
function versionsOf({ recent }: NoisePage, probed: Probed | undefined): ProbedPair[] {
  if (probed === undefined) return [];
  const { path, versions } = probed;
  const [first] = versions;
  const fresh = versions.slice(1).map((newer, index) => ({
    ...{ path, newer, older: versions[index] },
    ...{ isHistory: false, isElsewhere: false },
  }));
  const past = [...(first === undefined ? [] : [first]), ...recent]
    .map((newer, index) => ({ path, newer, older: recent[index], isHistory: true, isElsewhere: false }))
    .filter(({ older, newer }) => older?.sha256 !== newer.sha256);
  return [...fresh, ...past].flatMap(({ older, newer, ...rest }) =>
    older === undefined ? [] : [{ ...rest, sides: [older, newer] satisfies Pair }],
  );
}

/** The first two fetches of a page, as a pair of another template. */
function elsewhere(probed: Probed | undefined): ProbedPair[] {
  const [older, newer] = probed?.versions ?? [];
  if (probed === undefined || older === undefined || newer === undefined) return [];
  return [{ path: probed.path, sides: [older, newer], isHistory: false, isElsewhere: true }];
}

/**
 * Whether a rule may apply without a person's consent: what only the history shows may be edits, and a rule that hides
 * whatever words stand somewhere, or whatever a price is, hides edits.
 */
const mayApply = ({ spec, evidence, isPrice }: Learned): boolean =>
  evidence.share <= shareMax && evidence.compared === undefined && isPrice !== true && !hidesAnyWords(spec);

const keyOf = (spec: RuleSpec, path = "*"): string => JSON.stringify([specOf(spec), path]);

function applied({ spec, path = "*" }: Learned, id: string): AppliedRule {
  return { ...spec, id, path, note: "" };
}
