import { setTimeout as sleep } from "node:timers/promises";
import { type Finding, findWrongs, type Reference } from "./checks.ts";
import type { Fault } from "./faults/fault.ts";
import type { LaneStack } from "./lane.ts";
import { createRandom, type Random } from "./random.ts";
import { openAtAll, openOf, untilDone } from "./recovery.ts";
import type { ChangingSite } from "./site.ts";
import { ageUnused, backUp, collectTwice, restoreAndRead } from "./tools.ts";
import type { Workload } from "./workload.ts";

/** I5: how long after the end of the fault all work must be finished. */
export const stuckAfterMs = 90_000;
/** How much longer the round waits then, to tell work that ends late from work that never ends. */
const watchedMs = 300_000;
/** The latest time after the beginning of the acts at which the fault strikes; a crawl or fetch of the site takes longer. */
const strikesWithinMs = 4_000;
/** The number of crawled objects in a lane from which on each round deletes the oldest. */
const objectsMax = 3;

export interface LaneState {
  lane: LaneStack;
  work: Workload;
  site: ChangingSite;
  reference: Reference;
  /** Hashes (hex) of the contents whose bytes have been read and verified. */
  verified: Set<string>;
  oldHome: string | undefined;
}

export interface RoundResult {
  fault: string;
  round: number;
  plan: string;
  /** Which parts the fault hit. */
  where: string;
  struckAtMs: number;
  lastedMs: number;
  /** From the end of the fault until all work that was accepted before was in its final state. */
  afterMs: number;
  /** How long the fetch of one page took that was requested after the recovery. */
  nextMs: number;
  wallMs: number;
  findings: Finding[];
  /** Reported but not counted as findings, for example a backup that failed while the fault lasted. */
  notes: string[];
}

/** Something that is done in a round, and how long after the beginning of the acts. */
interface Act {
  name: string;
  atMs: number;
  run(): Promise<unknown>;
}

/** Runs one round: begins the acts, injects the fault, waits until all work is done, and checks the data. */
export async function runRound(
  state: LaneState,
  fault: Fault,
  round: number,
  seed: string,
  signal: AbortSignal,
): Promise<RoundResult> {
  const { lane, work, site } = state;
  // victim and moment have a generator of their own, as the draws for the acts depend on what the lane holds at that time
  const random = createRandom(`${seed} ${fault.name} ${round}`);
  const ofActs = createRandom(`${seed} ${fault.name} ${round} acts`);
  const beganAt = performance.now();
  const notes: string[] = [];
  const findings: Finding[] = [];
  work.accepted = [];
  work.objects = work.objects.slice(-objectsMax - 1);
  const before = work.acknowledged.map(({ objectId, runId }) => runId ?? objectId);
  const { acts, plan, backup } = planRound(state, fault, ofActs, signal, notes);
  if (acts.some(({ name }) => name === "collect")) await ageUnused(lane);
  const struckAtMs = fault.early === true ? 0 : random.between(100, strikesWithinMs);
  const begin = () =>
    Promise.allSettled(
      acts.map(async ({ name, atMs, run }) => {
        await sleep(atMs, undefined, { signal });
        await run().catch((error: unknown) => {
          signal.throwIfAborted();
          findings.push({ kind: "stuck", what: `${name}: ${error instanceof Error ? error.message : String(error)}` });
        });
      }),
    );
  const scene = { lane, work, random, signal, oldHome: state.oldHome };
  const early = fault.early === true ? await fault.strike(scene) : undefined;
  const running = begin();
  if (early === undefined) await sleep(struckAtMs, undefined, { signal });
  const strikesAt = performance.now();
  const struck = early ?? (await fault.strike(scene));
  try {
    await sleep(struck.forMs, undefined, { signal });
  } finally {
    await struck.heal();
  }
  const endedAt = performance.now();
  const acceptedBefore = [...work.accepted];
  const late = await untilDone(() => openOf(lane, acceptedBefore), stuckAfterMs, signal);
  if (late.length > 0) {
    findings.push({ kind: "stuck", what: `After ${stuckAfterMs / 1000} s: ${late.slice(0, 4).join("; ")}` });
    await untilDone(() => openOf(lane, acceptedBefore), watchedMs, signal);
  }
  const afterMs = performance.now() - endedAt;
  await running;
  signal.throwIfAborted();
  // a fetch that is requested afterwards has to work
  const [object] = work.objects;
  const nextAt = performance.now();
  if (object !== undefined) await work.fetchOne(object);
  const next = await untilDone(() => openOf(lane, work.accepted.slice(-1)), stuckAfterMs, signal);
  if (next.length > 0) findings.push({ kind: "stuck", what: `Asked for afterwards: ${next.join("; ")}` });
  const nextMs = performance.now() - nextAt;
  // includes work that was never acknowledged, such as an import whose upload broke off
  const open = await untilDone(() => openAtAll(lane), stuckAfterMs, signal);
  if (open.length > 0 && late.length === 0)
    findings.push({ kind: "stuck", what: `Not done at the end of the round: ${open.slice(0, 4).join("; ")}` });
  findings.push(...(await findWrongs(lane, work, site, state.reference, { verified: state.verified, random: ofActs })));
  if (backup.restores) findings.push(...(await restoreAfter(lane, backup, notes, before, work)));
  return {
    fault: fault.name,
    round,
    plan,
    where: struck.where,
    struckAtMs: Math.round(struckAtMs),
    lastedMs: Math.round(endedAt - strikesAt),
    afterMs: Math.round(afterMs),
    nextMs: Math.round(nextMs),
    wallMs: Math.round(performance.now() - beganAt),
    findings,
    notes,
  };
}

interface BackupOfRound {
  restores: boolean;
  /** Whether a backup was completed during the fault. */
  isComplete: boolean;
}

const kindsDuring = {
  any: ["crawl", "fetch", "fetch", "fetch", "both"],
  crawl: ["crawl", "crawl", "both"],
  fetch: ["fetch", "fetch", "both"],
} as const;

function planRound(
  { lane, work, site }: LaneState,
  fault: Fault,
  random: Random,
  signal: AbortSignal,
  notes: string[],
): { acts: Act[]; plan: string; backup: BackupOfRound } {
  const acts: Act[] = [];
  const backup = { restores: false, isComplete: false };
  const add = (name: string, atMs: number, run: () => Promise<unknown>) => acts.push({ name, atMs, run });
  const soon = () => random.between(0, 1_500);
  const wants = (act: "backup" | "collect" | "delete", share: number) =>
    random.chance(share) || fault.with?.includes(act) === true;

  const crawled = work.objects.filter((object) => object.crawled);
  const newest = crawled.at(-1);
  const kind =
    newest === undefined ? "crawl" : random.pick<"crawl" | "fetch" | "both">(kindsDuring[fault.during ?? "any"]);
  if (kind !== "crawl" || random.chance(0.3)) site.change();
  if (kind !== "fetch") add("crawl", 0, () => work.crawl());
  if (kind !== "crawl" && newest !== undefined) add("fetch", 0, () => work.fetch(newest));
  if (random.chance(0.3) && newest !== undefined) add("fetch of one page", soon(), () => work.fetchOne(newest));
  add("search", soon(), () => work.search(random));
  if (random.chance(0.3)) {
    const name = `i${random.whole(1, 1e9)}`;
    add("import", soon(), () => work.import(name));
  }
  if (random.chance(0.1) && newest !== undefined)
    add("deletion of a page", soon(), () => work.removePage(newest, random));
  if (random.chance(0.05) && newest !== undefined) add("cancellation", soon(), () => work.cancel(newest));
  if (random.chance(0.15) && newest !== undefined) add("export", soon(), () => work.export(newest));
  const [oldest, ...others] = crawled;
  if (oldest !== undefined && others.length > 0 && oldest !== newest)
    if (crawled.length >= objectsMax || wants("delete", 0.1)) add("deletion", soon(), () => work.remove(oldest));
  if (wants("backup", 0.2)) {
    backup.restores = random.chance(0.5);
    add("backup", soon(), async () => {
      const said = await backUp(lane);
      if (said === undefined) backup.isComplete = true;
      else notes.push(`backup: ${said.split("\n").at(-1)}`);
    });
  }
  if (wants("collect", 0.25))
    add("collect", soon(), async () => {
      const said = await collectTwice(lane, signal);
      if (said !== undefined) notes.push(`collector: ${said}`);
    });
  return { acts, plan: acts.map(({ name }) => name).join(", "), backup };
}

/** Restores the backup made during the fault, or one made now if none was completed then, and checks that it is whole. */
async function restoreAfter(
  lane: LaneStack,
  backup: BackupOfRound,
  notes: string[],
  before: readonly string[],
  work: Workload,
): Promise<Finding[]> {
  if (!backup.isComplete) {
    // the S3 server of the tests sometimes fails to list objects that are just being written
    let said: string | undefined = "";
    for (let tries = 0; said !== undefined && tries < (lane.storeKind === "bucket" ? 3 : 1); tries++)
      said = await backUp(lane);
    if (said !== undefined) return [{ kind: "lost", what: `A backup after the fault failed: ${said}` }];
    notes.push("backed up after the fault");
  }
  // objects and runs that were deleted meanwhile need not be in the backup
  const kept = new Set(work.acknowledged.map(({ objectId, runId }) => runId ?? objectId));
  const wrong = await restoreAndRead(
    lane,
    before.filter((id) => kept.has(id)),
  );
  return wrong.map((what) => ({ kind: "lost", what }));
}
