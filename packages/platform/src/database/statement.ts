import { createHash } from "node:crypto";
import type { QueryConfig } from "pg";

/** SQL text, or a text that each connection plans once. */
export type Statement = string | PreparedStatement;

export interface PreparedStatement {
  /** The same for the same text, as a connection knows it by this. */
  readonly name: string;
  readonly text: string;
  /** Whether those who ask it with the same values at the same time get the same rows. */
  readonly shared: boolean;
}

/**
 * A statement that is run again and again, whose plan does not hang on its values: planning a long one takes PostgreSQL longer
 * than running it. Not for statements that may find one row or a million, whose plan is to be made for the values.
 * @param text the same every time; values come as parameters
 */
export function prepared(text: string): PreparedStatement {
  return { name: createHash("sha256").update(text).digest("base64url").slice(0, 22), text, shared: false };
}

/**
 * A prepared statement that reads what many look at together: when something changes, everybody who has the page open asks at once.
 * Its rows belong to all who asked, so nobody may change them; within a transaction nothing is shared.
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
