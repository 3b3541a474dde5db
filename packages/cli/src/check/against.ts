import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import { type Call, CannotRun } from "../client.js";
import { findObject } from "../find-object.js";

const help = "Say previous, baseline, label:NAME, run:ID, object:NAME, or a time such as 2026-11-24T09:00:00Z.";

/** What a check compares with, as it is written on the command line. @throws CannotRun where that is nothing */
export async function sideOf(call: Call, text: string): Promise<ComparedSide> {
  if (text === "previous" || text === "baseline") return { type: text };
  const [, kind, name = ""] = /^(label|run|object):(.+)$/s.exec(text) ?? [];
  if (kind === "label") return { type: "label", label: name };
  if (kind === "run") return { type: "run", run_id: name };
  if (kind === "object") return { type: "object", testobject_id: (await findObject(call, name)).id };
  const at = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(at.getTime())) return { type: "time", at: at.toISOString() };
  throw new CannotRun(`“${text}” is nothing to compare with. ${help}`);
}
