import { readFileSync } from "node:fs";
import { appendFile, cp, mkdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { learnReference, type Reference } from "./checks.ts";
import { noFault } from "./faults/connections.ts";
import type { Fault } from "./faults/fault.ts";
import { type LaneStack, makeCampaignFolder, startLaneStack, type StoreKind } from "./lane.ts";
import { openOldVersion } from "./old-version.ts";
import { type Options, readOptions } from "./options.ts";
import { createRandom } from "./random.ts";
import { openAtAll, openOf, untilDone } from "./recovery.ts";
import { type LaneState, type RoundResult, runRound, stuckAfterMs } from "./round.ts";
import { root } from "./services.ts";
import { type ChangingSite, startChangingSite } from "./site.ts";
import { recoverWithin, rowsOf, tableOf } from "./table.ts";
import { createWorkload } from "./workload.ts";

/**
 * The campaign (`npm run campaign`): the whole product works while faults are injected at random moments, and all of its data is
 * checked after each. Exits with 1 if anything was lost, doubled or stuck, or if no round was run.
 */

/** The file in the folder of results that has one line of JSON for each round. */
const roundsFile = "rounds.jsonl";

/** The number of rounds after which a lane starts with a new, empty product, as the data of the old one keeps growing. */
const roundsPerStack = 40;

interface Task {
  fault: Fault;
  round: number;
}

interface Campaign {
  options: Options;
  folder: string;
  resultsFolder: string;
  oldHome: string | undefined;
  tasks: Task[];
  results: RoundResult[];
  notRun: Map<string, string>;
  signal: AbortSignal;
  endsAt: number;
  /** The states that the site's pages reached in the first product without faults; all other products must reach the same. */
  reference: Reference | undefined;
}

const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(name, () => stopping.abort(new Error(`Stopped by ${name}`)));

const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  process.exitCode = await run(optionsOf(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(
    `${error instanceof Error ? (stopping.signal.aborted ? error.message : error.stack) : String(error)}\n`,
  );
  process.exitCode = 1;
}
process.exit();

/** Reads the options; prints the help or what is wrong with them, and exits, where there is no campaign to run. */
function optionsOf(args: string[]): Options {
  try {
    return readOptions(args);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    if (!args.includes("--help")) process.stderr.write(`${words}\n`);
    else say(words);
    process.exit(args.includes("--help") ? 0 : 1);
  }
}

async function run(options: Options): Promise<number> {
  const beganAt = performance.now();
  const folder = await makeCampaignFolder();
  const resultsFolder = resolve(options.results ?? join(root, ".cache/campaign", options.seed));
  await mkdir(resultsFolder, { recursive: true });
  const oldHome = options.faults.some(({ name }) => name === "rolling-version")
    ? openOldVersion(options.old, folder, say)
    : undefined;
  const random = createRandom(options.seed);
  const faults = [...new Set([noFault, ...options.faults])];
  const results = options.resume ? await earlierResults(join(resultsFolder, roundsFile), options.seed) : [];
  const earlier = results.length;
  const isDone = ({ fault, round }: Task) =>
    results.some((result) => result.fault === fault.name && result.round === round);
  const campaign: Campaign = {
    options,
    folder,
    resultsFolder,
    oldHome,
    tasks: random
      .shuffled(faults.flatMap((fault) => Array.from({ length: options.rounds }, (_, round) => ({ fault, round }))))
      .filter((task) => !isDone(task)),
    results,
    notRun: new Map(),
    signal: stopping.signal,
    endsAt: beganAt + options.minutes * 60_000,
    reference: undefined,
  };
  say(
    `Campaign of seed ${options.seed}: ${options.faults.length} faults × ${options.rounds} rounds, ${options.lanes} lanes, ${options.pages} pages. Details: ${resultsFolder}`,
  );
  try {
    // waits for all lanes even if one fails, as each stops its product and unmounts its file systems at its end
    const lanes = await Promise.allSettled(Array.from({ length: options.lanes }, (_, lane) => runLane(campaign, lane)));
    const broken = lanes.find((lane) => lane.status === "rejected");
    if (broken !== undefined) throw broken.reason;
  } finally {
    if (!options.keep) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    say(`\n${tableOf(campaign.results, campaign.notRun)}`);
    const seconds = (performance.now() - beganAt) / 1000;
    const { own, children } = cpuSeconds();
    const ran = campaign.results.length - earlier;
    const each = (own + children) / Math.max(1, ran);
    say(
      `Seed ${options.seed}; ${earlier > 0 ? `${earlier} rounds of earlier and ` : ""}${ran} rounds in ${(seconds / 60).toFixed(1)} minutes, ${each.toFixed(1)} s of CPU time each (the campaign itself ${own.toFixed(0)} s, the products ${children.toFixed(0)} s).`,
    );
  }
  return verdict(campaign);
}

/** Returns the rounds of an earlier run without findings; those with findings are run again. */
async function earlierResults(file: string, seed: string): Promise<RoundResult[]> {
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  const rounds = lines.map((line) => JSON.parse(line) as RoundResult & { seed: string });
  return rounds.filter((round) => round.seed === seed && round.findings.length === 0);
}

/** CPU time of this process, and on Linux of all children that it has waited for; 0 for the children elsewhere. */
function cpuSeconds(): { own: number; children: number } {
  const { user, system } = process.cpuUsage();
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    // cutime and cstime of proc(5), in ticks of 10 ms
    return { own: (user + system) / 1e6, children: ((fields[13] ?? 0) + (fields[14] ?? 0)) / 100 };
  } catch {
    return { own: (user + system) / 1e6, children: 0 };
  }
}

function verdict({ results, tasks, options }: Campaign): number {
  const wrong = rowsOf(results).filter(({ lost, doubled, stuck }) => lost + doubled + stuck > 0);
  const slow = rowsOf(results).filter(
    ({ fault, median, worst }) => fault !== "nothing" && (median > recoverWithin.median || worst > recoverWithin.worst),
  );
  if (tasks.length > 0) say(`${tasks.length} rounds were not begun.`);
  for (const { fault } of wrong)
    say(
      `FAILED: ${fault}; again: npm run campaign -- --seed ${options.seed} --faults ${fault} --rounds ${options.rounds}`,
    );
  for (const { fault } of slow) say(`Slow to recover: ${fault}`);
  return wrong.length === 0 && results.length > 0 ? 0 : 1;
}

/** Runs rounds until none is left, on one product after another. */
async function runLane(campaign: Campaign, number: number): Promise<void> {
  const { options, signal } = campaign;
  const site = await startChangingSite(options.pages, options.seed);
  let state: LaneState | undefined;
  let left = 0;
  const random = createRandom(`${options.seed} lane ${number}`);
  try {
    for (
      let task = nextTask(campaign, undefined);
      task !== undefined;
      task = nextTask(campaign, state?.lane.storeKind)
    ) {
      if (state === undefined || left === 0 || state.lane.storeKind !== task.fault.store) {
        await state?.lane.stop();
        state = undefined;
        state = await startLane(campaign, site, task.fault.store, () => random.next());
        left = roundsPerStack;
      }
      left--;
      const missing = task.fault.missing?.({ lane: state.lane, oldHome: campaign.oldHome }) ?? null;
      if (missing !== null) {
        campaign.notRun.set(task.fault.name, missing);
        continue;
      }
      const result = await runTask(state, task, options, signal);
      campaign.results.push(result);
      await appendFile(
        join(campaign.resultsFolder, roundsFile),
        `${JSON.stringify({ seed: options.seed, lane: number, ...result })}\n`,
      );
      report(campaign, number, result);
      if (result.findings.length > 0) {
        await keepLogs(campaign, state.lane, result);
        await state.lane.stop({ keep: options.keep });
        state = undefined;
      }
    }
  } finally {
    await state?.lane.stop();
    await site.close();
  }
}

/** Takes the next round, if possible one with the same kind of store, as another kind needs another product. */
function nextTask({ tasks, endsAt, signal }: Campaign, kind: StoreKind | undefined): Task | undefined {
  if (performance.now() > endsAt || signal.aborted) return undefined;
  const same = tasks.findIndex(({ fault }) => kind === undefined || fault.store === kind);
  return tasks.splice(Math.max(0, same), 1)[0];
}

async function runTask(
  state: LaneState,
  { fault, round }: Task,
  { seed }: Options,
  signal: AbortSignal,
): Promise<RoundResult> {
  const beganAt = performance.now();
  try {
    return await runRound(state, fault, round, seed, signal);
  } catch (error) {
    signal.throwIfAborted();
    const what = `The round broke off: ${error instanceof Error ? error.message : String(error)}`;
    const wallMs = Math.round(performance.now() - beganAt);
    return {
      fault: fault.name,
      round,
      plan: "",
      where: "",
      struckAtMs: 0,
      lastedMs: 0,
      afterMs: 0,
      nextMs: 0,
      wallMs,
      findings: [{ kind: "stuck", what }],
      notes: [],
    };
  }
}

/** Starts a product for a lane, with one object that was crawled and fetched without faults. */
async function startLane(
  campaign: Campaign,
  site: ChangingSite,
  kind: StoreKind,
  chance: () => number,
): Promise<LaneState> {
  const { folder } = campaign;
  const lane = await startLaneStack(folder, kind, chance, () => undefined);
  try {
    return await learn(campaign, lane, site);
  } catch (error) {
    await lane.stop();
    throw error;
  }
}

async function learn(campaign: Campaign, lane: LaneStack, site: ChangingSite): Promise<LaneState> {
  const { signal, oldHome } = campaign;
  const work = createWorkload(lane, site, signal);
  await work.crawl();
  await untilDone(() => openOf(lane, work.accepted), stuckAfterMs, signal);
  const [object] = work.objects;
  if (object !== undefined) await work.fetch(object);
  const open = await untilDone(() => openAtAll(lane), stuckAfterMs, signal);
  if (open.length > 0) throw new Error(`An undisturbed crawl and fetch does not end: ${open.join("; ")}`);
  const learned = await learnReference(lane, object?.id ?? "");
  campaign.reference ??= learned;
  return { lane, work, site, reference: campaign.reference, verified: new Set(), oldHome };
}

function report({ results, tasks }: Campaign, lane: number, result: RoundResult): void {
  const { fault, round, where, lastedMs, afterMs, nextMs, wallMs, findings, notes, plan } = result;
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  say(
    `${String(results.length).padStart(4)} (${tasks.length} left) lane ${lane} ${fault} ${round}: ${where}; lasted ${seconds(lastedMs)} s, recovered after ${seconds(afterMs)} s, next ${seconds(nextMs)} s, round ${seconds(wallMs)} s [${plan}]`,
  );
  for (const note of notes) say(`       ${note}`);
  for (const { kind, what } of findings) say(`     ! ${kind}: ${what}`);
}

async function keepLogs({ resultsFolder }: Campaign, lane: LaneStack, { fault, round }: RoundResult): Promise<void> {
  const kept = join(resultsFolder, `${fault}-${round}`);
  await cp(lane.logs, join(kept, "services"), { recursive: true }).catch(() => undefined);
  await cp(join(lane.dataDir, "logs"), join(kept, "servers"), { recursive: true }).catch(() => undefined);
  say(`       logs: ${kept}`);
}
