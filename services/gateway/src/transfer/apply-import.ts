import { type JobWords, jobWords } from "@web-tester/contracts/job-lines";
import { randomUUID } from "node:crypto";
import { meaningOfSchedule, scheduleSpec } from "@web-tester/contracts/entities/schedule";
import { insertSchedule, selectSchedules } from "@web-tester/records/schedules/schedules";
import { firstDue } from "@web-tester/watch/times/first-due";
import { meaningOfRule, ruleRecord } from "@web-tester/contracts/entities/rule";
import { insertRule, selectRules } from "@web-tester/records/rules/ignore-rules";
import { startEvaluation } from "@web-tester/records/runs/evaluation-run";
import { specOf } from "@web-tester/signal/rules/compile-rule";
import { z } from "zod";
import { keepWorking } from "@web-tester/worker/keep-working";
import type { TransferCounts } from "@web-tester/contracts/entities/transfer";
import { type MessageBody, messages } from "@web-tester/contracts/messages";
import { type Bus, type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { databaseTime } from "@web-tester/platform/database/database-time";
import { chunkRows } from "@web-tester/records/runs/chunk-rows";
import { beginAttempt, noteFailure } from "@web-tester/records/imports/import-attempts";
import { requireHeldOf } from "@web-tester/records/imports/held-content";
import { countApplied, finishJob, lockJob } from "@web-tester/records/imports/import-job";
import {
  countStaged,
  deleteStaged,
  nextObject,
  type StagedObject,
  stagedObjects,
} from "@web-tester/records/imports/staged-objects";
import { importInstances } from "@web-tester/records/instances/import-instances";
import { holdRetention } from "@web-tester/records/objects/retention-rules";
import { importSnapshots } from "@web-tester/records/snapshots/import-snapshots";
import { insertImported } from "@web-tester/records/objects/insert-object";
import { findObject, type KnownObject, tagsOf } from "./apply-object.sql.js";
import { objectHas } from "./import-records.js";
import { importRoutes } from "./import-routes.js";

export interface ApplyDeps {
  db: Database;
  bus: Bus;
  /** Aborts when the process is to end; the import is continued by another gateway or after the next start. */
  signal: AbortSignal;
}

const retryInMs = 1_000;

/**
 * Handles `import`: writes the staged records, with one transaction per test object. Idempotent: delivered twice, or again after a
 * crash, it continues with the objects that are left.
 */
export function createApplyImport(deps: ApplyDeps) {
  return async (
    { importId }: MessageBody<"import">,
    delivery: Pick<Delivery, "working" | "ackWaitMs">,
  ): Promise<Outcome> =>
    (await keepWorking(delivery, () => applyImport(deps, importId))) ? done : { done: false, retryInMs };
}

/**
 * Writes one object after the other. Every attempt is counted before it begins, and an import with too many attempts is given up.
 * @returns false where it was interrupted
 * @throws the error that made writing fail, after noting it: another attempt may succeed, or find that the import was given up
 */
export async function applyImport({ db, bus, signal }: ApplyDeps, importId: string): Promise<boolean> {
  for (;;) {
    if (signal.aborted) return false;
    try {
      if (!(await beginAttempt(db, importId))) return true;
      const step = await db.transaction((tx) => applyNext(tx, importId));
      for (const line of step.lines) bus.logLine(importId, line.level, line.said);
      await announce(bus, step.done);
      if (step.over) return true;
    } catch (error) {
      // if even this cannot be written, the attempt still counts, but without words
      await noteFailure(db, importId, error).then(
        (words) => bus.logLine(importId, "error", words),
        () => undefined,
      );
      throw error;
    }
  }
}

interface Step {
  over: boolean;
  lines: { level: "info" | "warn" | "error"; said: string | JobWords }[];
  done: string[];
}

const none: TransferCounts = { objects: 0, instances: 0, snapshots: 0 };

async function applyNext(tx: Queryable, importId: string): Promise<Step> {
  const job = await lockJob(tx, importId);
  if (job === null) return { over: true, lines: [], done: [] };
  const next = await nextObject(tx, importId);
  if (next === null) {
    await finishJob(tx, importId);
    return {
      over: true,
      lines: [{ level: "info", said: jobWords("import-finished", { records: job.total }) }],
      done: [],
    };
  }
  const { url, target } = next;
  const records = await stagedObjects(tx, importId, target);
  const [first] = records;
  if (first === undefined) throw new Error("an object of the import has no record");
  await requireHeldOf(tx, importId, target);
  const known = await findObject(tx, url, first.data.name, first.data.several ?? false);
  const inTheWay = known === null ? null : deletionWords(known);
  if (inTheWay !== null) return refuse(tx, importId, target, first, inTheWay, records.length);
  if (known === null) await insertImported(tx, url, first);
  const objectId = known?.id ?? first.target_id;
  const instances = await importInstances(tx, importId, target, objectId);
  const withoutRules = await importRules(tx, objectId, records, known !== null);
  const withoutSchedules = await importSchedules(tx, objectId, records);
  // not by this process's clock: snapshots that are fetched next get their ids, and so their order, from the database
  const snapshots = await importSnapshots(tx, importId, target, objectId, (await databaseTime(tx)).getTime());
  const objects = { given: records.length, fresh: known === null ? 1 : 0 };
  const name = known?.name ?? first.data.name;
  const tags = await tagsOf(tx, objectId);
  const notes = [
    ...secretNotes(name, known, records),
    ...tooManyNotes(name, "ignore rules", withoutRules, objectHas.rules),
    ...tooManyNotes(name, "schedules", withoutSchedules, objectHas.schedules),
    ...(await importRoutes(tx, { objectId, tags, name: `“${name}”` }, routesOf(records, "routes"))),
    ...(await importRoutes(tx, { objectId: null, tags: [], name: "All objects" }, routesOf(records, "routes_of_all"))),
    ...retentionNotes(name, await holdRetention(tx, objectId, snapshots.done)),
  ];
  await countApplied(tx, importId, { ...countsOf(objects, instances, snapshots), notes });
  await deleteStaged(tx, importId, target);
  const said = jobWords("imported", {
    ...{ name, freshInstances: instances.fresh, instances: instances.given },
    ...{ freshSnapshots: snapshots.fresh, snapshots: snapshots.given },
  });
  const lines = [{ level: "info" as const, said }, ...notes.map((note) => ({ level: "warn" as const, said: note }))];
  return { over: false, lines, done: snapshots.done };
}

interface Given {
  given: number;
  fresh: number;
}

function countsOf(objects: Given, instances: Given, snapshots: Given) {
  return {
    records: objects.given + instances.given + snapshots.given,
    imported: { objects: objects.fresh, instances: instances.fresh, snapshots: snapshots.fresh },
    existing: {
      objects: objects.given - objects.fresh,
      instances: instances.given - instances.fresh,
      snapshots: snapshots.given - snapshots.fresh,
    },
  };
}

const routesOf = (records: readonly StagedObject[], key: "routes" | "routes_of_all") =>
  records.flatMap(({ data }) => z.array(z.unknown()).default([]).parse(data[key]));

/**
 * Imports rules that the object does not have yet; an object that existed before is evaluated again with them.
 * @returns how many there was no room for
 */
async function importRules(
  tx: Queryable,
  objectId: string,
  records: readonly StagedObject[],
  isKnown: boolean,
): Promise<number> {
  const given = records.flatMap(({ data }) => importedRules.parse(data["ignore_rules"]));
  if (given.length === 0) return 0;
  const there = await selectRules(tx, objectId);
  const known = new Set(there.map(({ spec, path }) => meaningOfRule(spec, path)));
  const wanted = given.filter((rule) => !known.has(meaningOfRule(rule, rule.path)));
  const fresh = wanted.slice(0, Math.max(0, objectHas.rules - there.length));
  for (const rule of fresh) {
    const { path, note, enabled } = rule;
    const spec = specOf(rule);
    await insertRule(tx, { objectId, spec, path, note, enabled, state: "active", author: "import", evidence: null });
  }
  // the reconciler sends its message, since this may be one object of thousands
  if (isKnown && fresh.length > 0) await startEvaluation(tx, objectId);
  return wanted.length - fresh.length;
}

/**
 * Imports schedules that the object does not have yet; their due times count from now.
 * @returns how many there was no room for
 */
async function importSchedules(tx: Queryable, objectId: string, records: readonly StagedObject[]): Promise<number> {
  const given = records.flatMap(({ data }) => importedSchedules.parse(data["schedules"]));
  const there = await selectSchedules(tx, objectId);
  const known = new Set(there.map(({ spec }) => meaningOfSchedule(spec)));
  const wanted = given.filter((schedule) => !known.has(meaningOfSchedule(schedule)));
  const fresh = wanted.slice(0, Math.max(0, objectHas.schedules - there.length));
  for (const spec of fresh) {
    const id = randomUUID();
    await insertSchedule(tx, id, objectId, spec, firstDue(id, spec, await databaseTime(tx)));
  }
  return wanted.length - fresh.length;
}

function tooManyNotes(name: string, what: string, left: number, most: number): string[] {
  if (left === 0) return [];
  return [
    `“${name}”: ${left} of its ${what} were not imported, because it would have more than ${most.toLocaleString("en-US")}. Remove some and import the file again.`,
  ];
}

const importedSchedules = z.array(scheduleSpec).default([]);
const importedRules = z.array(ruleRecord).default([]);

const enterAgain = "to be entered again under Options; exports do not contain";
const headerNames = z.array(z.string()).default([]);

/**
 * Lists the secrets that people have to enter again: no file contains secrets of ours, and those of an existing object are never
 * touched.
 */
function secretNotes(name: string, known: KnownObject | null, records: readonly StagedObject[]): string[] {
  const hadPassword = records.some(({ data }) => data["auth_password_set"] ?? data["auth_enabled"]);
  const [first] = records;
  const lacksPassword = known === null ? typeof first?.data["sealed"] !== "string" : known.lacks_secret;
  const headers = [...new Set(records.flatMap(({ data }) => headerNames.parse(data["request_header_names"])))];
  const hadLogin = records.some(({ data }) => data["login_set"]);
  return [
    ...(hadPassword && lacksPassword ? [`“${name}”: the password has ${enterAgain} passwords.`] : []),
    ...(headers.length > 0 && (known?.lacks_headers ?? true)
      ? [`“${name}”: its request headers (${headers.join(", ")}) have ${enterAgain} their values.`]
      : []),
    ...(hadLogin && (known?.lacks_login ?? true) ? [`“${name}”: the steps of its login have ${enterAgain} them.`] : []),
  ];
}

function retentionNotes(name: string, held: { snapshots: number; until: Date } | null): string[] {
  if (held === null) return [];
  const day = held.until.toISOString().slice(0, 10);
  return [
    `“${name}”: its retention rules would remove about ${held.snapshots} of the imported snapshots. They take effect on ${day}; change them under Options to keep more.`,
  ];
}

/** @returns why nothing is written to an object that is being deleted in whole or part; null where nothing is in the way */
function deletionWords({ name, deleting, emptying, losing }: KnownObject): string | null {
  if (deleting || emptying)
    return `“${name}” is being deleted here. Wait until that is finished and import the file again`;
  if (!losing) return null;
  return `“${name}”, or some of it, is about to be deleted here. Undo that, or wait until it is done, and import the file again`;
}

async function refuse(
  tx: Queryable,
  importId: string,
  target: string,
  { record, line }: { record: number; line: number },
  message: string,
  records: number,
): Promise<Step> {
  const { instances, snapshots } = await countStaged(tx, importId, target);
  await countApplied(tx, importId, {
    records: records + instances + snapshots,
    imported: none,
    existing: none,
    faults: [{ list: "testObjects", record, line, message }],
  });
  await deleteStaged(tx, importId, target);
  return { over: false, lines: [{ level: "error", said: message }], done: [] };
}

/** Publishes the messages for the differ after the commit; those that the bus does not take now are left to the reconciler. */
async function announce(bus: Bus, snapshotIds: readonly string[]): Promise<void> {
  const chunks = chunkRows(
    snapshotIds.map((id) => ({ id })),
    messages.diff.maxInFlight,
  );
  await bus
    .publish(
      chunks.flatMap((chunk) => {
        const [first] = chunk;
        return first === undefined
          ? []
          : [{ name: "diff" as const, body: { snapshotIds: chunk.map((row) => row.id) }, dedupeId: `${first.id}:0` }];
      }),
    )
    .catch(() => undefined);
}
