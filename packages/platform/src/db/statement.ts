import { createHash } from "node:crypto";
import type { QueryConfig } from "pg";

/** SQL text, or a text that each connection plans once. */
export type Statement = string | PreparedStatement;

export interface PreparedStatement {
  /** The same for the same text, as a connection knows it by this. */
  readonly name: string;
  readonly text: string;
}

/**
 * A statement that is run again and again, whose plan does not hang on its values: planning a long one takes PostgreSQL longer
 * than running it. Not for statements that may find one row or a million, whose plan is to be made for the values.
 * @param text the same every time; values come as parameters
 */
export function prepared(text: string): PreparedStatement {
  return { name: createHash("sha256").update(text).digest("base64url").slice(0, 22), text };
}

/** A statement with its values as the driver takes it. */
export function toQuery(statement: Statement, values: readonly unknown[]): QueryConfig<unknown[]> {
  return typeof statement === "string"
    ? { text: statement, values: [...values] }
    : { ...statement, values: [...values] };
}
