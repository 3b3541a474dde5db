import type { AuditEntry } from "@web-tester/contracts/entities/access";

const columns = [
  ...(["at", "actor", "actor_kind", "role", "address", "action", "subject_kind", "subject_id"] as const),
  ...(["testobject_id", "object_name", "made_id", "fields", "outcome", "status", "code", "id"] as const),
] satisfies readonly (keyof AuditEntry)[];

/** The header line of the CSV (RFC 4180). */
export const csvHead = `${columns.join(",")}\r\n`;

export function toCsv(entry: AuditEntry): string {
  return `${columns.map((column) => toCell(entry[column])).join(",")}\r\n`;
}

/**
 * Writes one cell. A spreadsheet would run a text that begins like a formula, and names of sites and tokens are what people typed:
 * such a text gets an apostrophe in front.
 */
function toCell(value: string | number | readonly string[] | null): string {
  const text = value === null ? "" : typeof value === "object" ? value.join(" ") : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
