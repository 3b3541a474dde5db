import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import { type Call, CannotRun } from "../client.js";
import { findObject } from "../find-object.js";
import { runsOf } from "../runs-of.js";

const help =
  "Use previous, baseline, label:NAME, run:NUMBER, object:NAME, an address, or a time such as 2026-11-24T09:00:00Z.";

/** What a check compares with, parsed from the command line. `site`: an address that may have to be registered and fetched first. */
export type Against = { side: ComparedSide } | { site: string };

/**
 * @param objectId the object whose fetches are counted: `run:1` is the newest one, `run:2` the one before
 * @throws CannotRun when the text names nothing
 */
export async function readAgainst(call: Call, objectId: string, text: string): Promise<Against> {
  if (text === "previous" || text === "baseline") return { side: { type: text } };
  if (/^https?:\/\//i.test(text)) return { site: text };
  const [, kind, name = ""] = /^(label|run|object):(.+)$/s.exec(text) ?? [];
  if (kind === "label") return { side: await labelled(call, objectId, name) };
  if (kind === "run") return { side: { type: "run", run_id: await runOf(call, objectId, name) } };
  if (kind === "object") return { side: await fetchedSite(call, name) };
  const at = new Date(text);
  if (isDay(text) && !Number.isNaN(at.getTime())) {
    if (at.getTime() > Date.now()) throw new CannotRun(`“${text}” is in the future. Give a time in the past.`);
    return { side: { type: "time", at: at.toISOString() } };
  }
  throw new CannotRun(`Cannot compare with “${text}”. ${help}`);
}

/** Finds another site. @throws CannotRun when it has no snapshots: each page would seem to be new */
export async function fetchedSite(call: Call, named: string): Promise<ComparedSide> {
  const { id, name, snapshots_total: snapshots } = await findObject(call, named);
  if (snapshots === 0)
    throw new CannotRun(`There is nothing to compare with: “${name}” has not been fetched yet. Fetch it first.`);
  return { type: "object", testobject_id: id };
}

/** Whether a text begins with a day that there is: of 2026-02-30, `Date` makes 2 March. */
function isDay(text: string): boolean {
  const [day = ""] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const read = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day);
}

/** Checks that the label exists before anything is fetched in vain. */
async function labelled(call: Call, objectId: string, label: string): Promise<ComparedSide> {
  for await (const { kind, state } of runsOf(call, objectId, { label }))
    if (kind.startsWith("snapshot-") && state === "finished") return { type: "label", label };
  throw new CannotRun(
    `No finished fetch of this test object has the label “${label}” yet: give it to one by “fetch OBJECT --label ${label}”.`,
  );
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Finds a run by number or id; called before this check fetches anything, so that its own fetch does not count. */
async function runOf(call: Call, objectId: string, name: string): Promise<string> {
  if (uuid.test(name)) return name;
  if (!/^[1-9]\d*$/.test(name))
    throw new CannotRun(`“run:${name}” names no fetch. Give a number, run:1 for the newest, or the id of a run.`);
  let count = 0;
  for await (const { id, state } of runsOf(call, objectId, { kind: "snapshot-all" }))
    if (state === "finished" && ++count === Number(name)) return id;
  throw new CannotRun(`There is no fetch ${name}: this test object has ${count}, the newest is run:1.`);
}
