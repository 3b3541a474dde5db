import type { AuditEntry } from "@web-tester/contracts/entities/access";

const columns = [
  ...(["at", "actor", "actor_kind", "role", "address", "action", "subject_kind", "subject_id"] as const),
  ...(["testobject_id", "object_name", "made_id", "fields", "outcome", "status", "code", "id"] as const),
] satisfies readonly (keyof AuditEntry)[];

/** The first line (RFC 4180). */
export const csvHead = `${columns.join(",")}\r\n`;

export function toCsv(entry: AuditEntry): string {
  return `${columns.map((column) => toCell(entry[column])).join(",")}\r\n`;
}

/** A cell that begins as a formula does would be one to a spreadsheet; names of sites and tokens are what people typed. */
function toCell(value: string | number | readonly string[] | null): string {
  const text = value === null ? "" : typeof value === "object" ? value.join(" ") : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
