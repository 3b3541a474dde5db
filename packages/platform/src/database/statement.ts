import { createHash } from "node:crypto";
import type { QueryConfig } from "pg";

/** SQL text, or a statement that each connection plans only once. */
export type Statement = string | PreparedStatement;

export interface PreparedStatement {
  /** Derived from the text: a connection knows a prepared statement by its name. */
  readonly name: string;
  readonly text: string;
  /** Whether concurrent callers with the same values share the rows. */
  readonly shared: boolean;
}

/**
 * A prepared statement, for SQL that runs often and whose best plan does not depend on its values: planning a long statement takes
 * PostgreSQL longer than running it. Not for statements that may find one row or a million, which need a plan for their values.
 * @param text the same every time; values come as parameters
 */
export function prepared(text: string): PreparedStatement {
  return { name: createHash("sha256").update(text).digest("base64url").slice(0, 22), text, shared: false };
}

/**
 * A prepared statement that many callers run at the same moment: when something changes, every browser that has the page open asks for it.
 * The callers share its rows, so nobody may change them. Within a transaction nothing is shared.
 */
export function sharedRead(text: string): PreparedStatement {
  return { ...prepared(text), shared: true };
}

/** A statement with its values as the driver takes it. */
export function toQuery(statement: Statement, values: readonly unknown[]): QueryConfig<unknown[]> {
  return typeof statement === "string"
    ? { text: statement, values: [...values] }
    : { name: statement.name, text: statement.text, values: [...values] };
}
