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
 * Where a spreadsheet would run a text as a formula. In many languages, German among them, it separates cells by semicolons whatever the
 * file does, so that a cell may also begin inside a text. Source: OWASP, "CSV Injection".
 */
const formula = /^(?=[=+\-@\t\r])|(?<=[;\t\r\n])(?=[=+\-@])/g;

/** Writes one cell. Names of sites and tokens are what people typed: an apostrophe keeps them from being formulas. */
function toCell(value: string | number | readonly string[] | null): string {
  const text = value === null ? "" : typeof value === "object" ? value.join(" ") : String(value);
  const safe = text.replaceAll(formula, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
