import type { TransferList } from "@web-tester/contracts/entities/transfer";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { AppError } from "@web-tester/contracts/errors";
import type { RuleInput } from "@web-tester/contracts/entities/rule";
import type { ScheduleInput } from "@web-tester/contracts/entities/schedule";
import { checkSchedule } from "@web-tester/watch/times/check-schedule";
import { compileRule } from "@web-tester/signal/rules/compile-rule";
import { canonicalText } from "@web-tester/urls/canonical-url";
import { describeIssue } from "../http/parse-input.js";
import type { z } from "zod";
import { instanceRecord, objectRecord, type SnapshotRecord, snapshotRecord } from "./import-records.js";
import type { ReadRecord } from "./read-records.js";
import { randomUUID } from "node:crypto";

/** A valid record in the form in which it is staged; `html`: bytes still to be stored, null where there are none. */
export interface Staged {
  list: 0 | 1 | 2;
  record: number;
  line: number;
  source_id: string;
  parent_id: string | null;
  url: string | null;
  target_id: string | null;
  html: Buffer | null;
  /** SHA-256 in hex of bytes that came with the archive. */
  hash: string | null;
  data: Record<string, unknown>;
}
export type StagedResult = { ok: true; staged: Staged } | { ok: false; message: string };

const position: Readonly<Record<TransferList, 0 | 1 | 2>> = { testObjects: 0, testInstances: 1, testSnapshots: 2 };

/**
 * Checks one record of a file; its secrets are encrypted before they are stored anywhere.
 * @param blobs hashes (hex) of the bytes that came with an archive; null for a plain file, which has only HTML
 */
export function toStaged(read: ReadRecord, secrets: SecretBox, blobs: ReadonlySet<string> | null): StagedResult {
  const fault = textFault(read.value);
  if (fault !== null) return { ok: false, message: fault };
  switch (read.list) {
    case "testObjects":
      return checked(objectRecord, read, (record) => stagedObject(record, secrets));
    case "testInstances":
      return checked(instanceRecord, read, stagedInstance);
    default:
      return checked(snapshotRecord, read, (record) => stagedSnapshot(record, blobs));
  }
}

/** A staged record without its position in the file; a string says what is wrong with it. */
type Content = Omit<Staged, "list" | "record" | "line"> | string;

function stagedObject(record: z.infer<typeof objectRecord>, secrets: SecretBox): Content {
  const url = canonical(record.url);
  if (url === null) return "url: is no address that can be fetched";
  const faulty = ruleFault(record.ignore_rules ?? []) ?? scheduleFault(record.schedules ?? []);
  if (faulty !== null) return faulty;
  const target = randomUUID();
  const { id, url: _, auth_password: secret, name, ...data } = record;
  const sealed = secret === undefined || secret === "" ? null : secrets.seal(secret, target).toString("hex");
  return {
    source_id: id,
    parent_id: null,
    url,
    target_id: target,
    html: null,
    hash: null,
    data: { ...data, name: name || new URL(url).host, named: Boolean(name), sealed },
  };
}

function stagedInstance({ id, parent, url: address, name, created_at }: z.infer<typeof instanceRecord>): Content {
  const url = canonical(address);
  if (url === null) return "url: is no address that can be fetched";
  return {
    source_id: id,
    parent_id: parent ?? "",
    url,
    target_id: null,
    html: null,
    hash: null,
    data: { name: name || new URL(url).pathname.slice(0, 200), created_at },
  };
}

function stagedSnapshot(record: SnapshotRecord, blobs: ReadonlySet<string> | null): Content {
  const { id, parent, html, state: _, html_sha256: sha256, charset, assets, ...data } = record;
  const hash = blobs === null ? null : (sha256 ?? null);
  const missing = [hash, ...assets.map((file) => file.sha256 ?? null)].find(
    (one) => blobs !== null && one !== null && !blobs.has(one),
  );
  if (typeof missing === "string") return `the archive holds no blob ${missing} before this record`;
  const state = hash !== null && record.state !== "cancelled" ? "done" : stateOf(record);
  return {
    source_id: id,
    parent_id: parent ?? "",
    url: null,
    target_id: null,
    html: state === "done" && hash === null ? Buffer.from(html ?? "", "utf8") : null,
    hash,
    data: {
      ...data,
      state,
      ...(hash === null ? {} : { charset }),
      ...(blobs === null && state === "done" ? { source_sha256: sha256 } : {}),
      assets: blobs === null ? [] : assets,
    },
  };
}

/** Says why a rule cannot be evaluated; null where all can. */
function ruleFault(rules: readonly Omit<RuleInput, "scope">[]): string | null {
  for (const [index, rule] of rules.entries())
    try {
      compileRule({ ...rule, id: "imported" });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return `ignore_rules.${index}: ${error.message}`;
    }
  return null;
}

/** Says why a schedule is not valid; null where all are. */
function scheduleFault(schedules: readonly ScheduleInput[]): string | null {
  for (const [index, schedule] of schedules.entries()) {
    const fault = checkSchedule(schedule, new Date());
    if (fault !== null) return `schedules.${index}: ${fault.message}`;
  }
  return null;
}

/**
 * The state of an imported snapshot: work that was going on elsewhere does not go on here, and a fetched page has HTML even if that is
 * empty.
 */
function stateOf(record: SnapshotRecord): "done" | "failed" | "created" | "cancelled" {
  if (record.state === "cancelled") return "cancelled";
  if (record.state === "failed" || (record.error !== undefined && !record.html)) return "failed";
  return record.html === undefined || (record.html === "" && record.state !== "done" && record.state !== undefined)
    ? "created"
    : "done";
}

function checked<S extends z.ZodType>(
  schema: S,
  { list, record, line, value }: ReadRecord,
  make: (parsed: z.infer<S>) => Omit<Staged, "list" | "record" | "line"> | string,
): StagedResult {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    if (issue === undefined) return { ok: false, message: "is not valid" };
    const where = issue.path.map(String).join(".");
    return { ok: false, message: `${where === "" ? "" : `${where}: `}${describeIssue(issue, value)}` };
  }
  const made = make(parsed.data);
  return typeof made === "string"
    ? { ok: false, message: made }
    : { ok: true, staged: { list: position[list], record, line, ...made } };
}

function canonical(address: string): string | null {
  return canonicalText(new URL(address));
}

/**
 * Reports texts with half a surrogate pair or, except in HTML, U+0000: PostgreSQL can store neither, but HTML goes to the object store
 * and may hold U+0000.
 */
function textFault(value: unknown): string | null {
  const found: { key: string; value: unknown }[] = [{ key: "", value }];
  for (const { key, value: inner } of found) {
    if (typeof inner === "string") {
      if (!inner.isWellFormed()) return `${key}: must not contain half a surrogate pair`;
      if (key !== "html" && inner.includes("\0")) return `${key}: must not contain the character U+0000`;
    } else if (typeof inner === "object" && inner !== null) {
      for (const [name, deeper] of Object.entries(inner)) found.push({ key: name, value: deeper });
    }
  }
  return null;
}
