/** The value of a row in one column. */
type Cell = string | number | boolean | null;

/** Columns of a list as a file: by name, how the value is read from a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/**
 * What makes a spreadsheet take a text for a formula; an apostrophe in front prevents that. In many languages, German among them, it
 * separates cells by semicolons whatever the file does, so that a cell may also begin inside a text. Source: OWASP, "CSV Injection".
 */
const formula = /^(?=[=+\-@\t\r])|(?<=[;\t\r\n])(?=[=+\-@])/g;

function field(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = cell.replaceAll(formula, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes rows as CSV with a header line (RFC 4180), marked as UTF-8 for spreadsheets. */
export function toCsv<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const names = Object.keys(columns);
  const lines = rows.map((row) => names.map((name) => field(columns[name]?.(row) ?? null)).join(","));
  return `\uFEFF${[names.join(","), ...lines].join("\r\n")}\r\n`;
}

/** Writes rows as a JSON list of objects. */
export const toJson = <Row>(rows: readonly Row[], columns: Columns<Row>): string =>
  `${JSON.stringify(
    rows.map((row) => Object.fromEntries(Object.entries(columns).map(([name, read]) => [name, read(row)]))),
    null,
    2,
  )}\n`;

/** Makes a file name that every system accepts: "Shop & Söhne pages" → "shop-s-hne-pages". */
export const fileName = (words: string): string =>
  words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 80) || "list";
