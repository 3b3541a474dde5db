import { type JobLine, jobLine } from "@web-tester/contracts/socket";
import { z } from "zod";
import { inLanguage } from "../../api/api-error.js";
import { byCode } from "../../texts/text.js";

type Level = JobLine["level"];

/** A line of the console. */
export interface ConsoleLine {
  id: string;
  level: Level;
  message: string;
  /** The code of a translatable line, and the values for its placeholders. */
  code?: string | undefined;
  values?: Readonly<Record<string, string | number>> | undefined;
  /** Milliseconds since 1970; null where the line has no time. */
  ts: number | null;
  jobId: string;
  /** The server process that was connected when the line came; undefined: before any had sent `welcome`. */
  via: number | undefined;
}

/** The payload of `job:log` and `console:log`; every part may be missing (specification §7). */
const loose = z
  .object({
    id: z.string(),
    level: jobLine.shape.level.catch("info"),
    message: z.string(),
    text: z.string(),
    error: z.unknown(),
    data: z.unknown(),
    ts: z.union([z.number(), z.string()]).transform((ts) => new Date(ts).getTime()),
    jobId: z.string(),
    code: jobLine.shape.code.catch(undefined),
    values: jobLine.shape.values.catch(undefined),
  })
  .partial();

/**
 * Parses one payload. The words are its message, else its text, error or data.
 * @param fallbackId for a payload without an id of its own; two lines with the same id are one
 * @returns undefined where there is nothing to show
 */
export function readLine(payload: unknown, via: number | undefined, fallbackId: string): ConsoleLine | undefined {
  const known = loose.safeParse(typeof payload === "string" ? { text: payload } : payload);
  if (!known.success) return undefined;
  const { id, level = "info", message, text, error, data, ts, jobId = "", code, values } = known.data;
  const words = [message, text, wordsOf(error), wordsOf(data)].find(
    (candidate) => candidate !== undefined && candidate.trim() !== "",
  );
  if (words === undefined) return undefined;
  return {
    id: id ?? fallbackId,
    level: error !== undefined && known.data.level === undefined ? "error" : level,
    message: words.trimEnd(),
    code,
    values,
    ts: ts === undefined || Number.isNaN(ts) ? null : ts,
    jobId,
    via,
  };
}

/** The text of a line for the reader: in their language where it has a code, else as the server wrote it. */
export function wordsIn({ message, code, values }: Pick<ConsoleLine, "message" | "code" | "values">): string {
  if (code === undefined || values === undefined) return message;
  const { reason, reasonCode } = values;
  const said =
    reason !== undefined && reasonCode !== undefined ? inLanguage(String(reasonCode), String(reason)) : reason;
  return byCode(`line:${code}`, said === undefined ? values : { ...values, reason: said }) ?? message;
}

function wordsOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "object" && "message" in value && typeof value.message === "string") return value.message;
  return JSON.stringify(value);
}

/** Parses a history with one line each: JSON of a payload, or plain words; empty lines are left out. */
export function readHistory(text: string, via: number | undefined): ConsoleLine[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line, index) => readLine(parsed(line), via, `history-${index}-${line}`) ?? []);
}

function parsed(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : line;
  } catch {
    return line;
  }
}
