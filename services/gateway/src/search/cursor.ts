import { id } from "@web-tester/contracts/entities/vocabulary";
import { z } from "zod";
import { invalidInput } from "../http/parse-input.js";
import type { Place } from "./select-results.sql.js";

const resultPlace = z.tuple([z.string(), id]);
const historyPlace = z.tuple([z.string()]);

/** Encodes a place in a list as an opaque cursor for callers. */
export function writeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/**
 * Decodes the cursor of a list of results.
 * @throws AppError invalid_input
 */
export function readResultCursor(text: string | undefined): Place | null {
  if (text === undefined || text === "") return null;
  const [url, snapshotId] = read(text, resultPlace);
  return { url, snapshotId };
}

/**
 * Decodes the cursor of a history: the URL of the last instance of the previous page.
 * @throws AppError invalid_input
 */
export function readHistoryCursor(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : read(text, historyPlace)[0];
}

function read<T>(text: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(parseJson(Buffer.from(text, "base64url").toString("utf8")));
  if (!parsed.success || text.includes("\0"))
    throw invalidInput([{ path: "query.cursor", message: "must be one that the page before gave out" }]);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
