import { jobWords } from "@web-tester/contracts/job-lines";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import { keepNoiseChoice, type NoiseChoice } from "@web-tester/records/runs/noise-run";
import { insertRun, type Starter } from "@web-tester/records/runs/start-run";
import { announce } from "../http/announce.js";
import { invalidInput } from "../http/parse-input.js";
import { lockForStart } from "./start-run.js";

/** The most pages that are fetched twice. */
const pagesMax = 60;

const fetched = `
  SELECT count(*)::int AS pages FROM (
    SELECT 1 FROM test_instance i JOIN test_snapshot s ON s.id = i.last_snapshot_id AND s.state = 'done' WHERE i.test_object_id = $1 LIMIT $2
  ) page`;

/** A search for noise that has its rows, with what its announcement needs after the commit. */
export interface BegunNoise {
  runId: string;
  total: number;
  name: string;
  fetch: boolean;
}

/**
 * Starts a search for noise: what differs at every fetch.
 * @throws AppError not_found; conflict where one is running; invalid_input where nothing was fetched yet
 */
export async function startNoise(
  db: Database,
  bus: Bus,
  log: Logger,
  objectId: string,
  choice: NoiseChoice & { by: Starter },
): Promise<{ runId: string; total: number }> {
  const begun = await db.transaction((tx) => beginNoise(tx, objectId, choice));
  await announceNoise(bus, log, begun);
  return { runId: begun.runId, total: begun.total };
}

/**
 * Creates the rows of a search for noise.
 * @throws AppError as `startNoise`
 */
export async function beginNoise(
  tx: Queryable,
  objectId: string,
  { by, ...choice }: NoiseChoice & { by: Starter },
): Promise<BegunNoise> {
  const { name } = await lockForStart(tx, objectId, "noise");
  const [count] = await tx.query<{ pages: number }>(fetched, [objectId, pagesMax]);
  const total = count?.pages ?? 0;
  if (total === 0)
    throw invalidInput([{ path: "params.id", message: "has no fetched page to look at; fetch its snapshots first" }]);
  const runId = await insertRun(tx, objectId, "noise", total, { by });
  await keepNoiseChoice(tx, runId, choice);
  return { runId, total, name, fetch: choice.fetch };
}

export async function announceNoise(bus: Bus, log: Logger, { runId, total, name, fetch }: BegunNoise): Promise<void> {
  bus.logLine(runId, "info", jobWords(fetch ? "noise-fetching" : "noise-looking", { name, total }));
  await announce(bus, log, [{ name: "noise", body: { runId }, dedupeId: `${runId}:0` }]);
}
