import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import { fetchModeUsed } from "@web-tester/contracts/entities/vocabulary";
import type { FetchedSnapshot } from "../snapshots/find-snapshot.js";

/** Serialises an object with one more field, whose value is JSON already. */
export function withJson(object: object, field: string, json: Buffer): Buffer {
  const begun = `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(field)}:`;
  return Buffer.concat([Buffer.from(begun), json, Buffer.from("}")]);
}

export function toSide(
  row: Pick<FetchedSnapshot, "id" | "number" | "created_at" | "html_bytes">,
  lines: number,
): DiffHunks["a"] {
  return {
    id: row.id,
    number: row.number,
    created_at: row.created_at.toISOString(),
    html_bytes: row.html_bytes ?? 0,
    lines,
  };
}

const usedMode = fetchModeUsed.nullable();

/** The side of a comparison of whole pages. */
export function toPageSide(row: FetchedSnapshot, lines: number): DiffHunks["a"] {
  return { ...toSide(row, lines), fetch_mode_used: usedMode.parse(row.fetch_mode_used) };
}
