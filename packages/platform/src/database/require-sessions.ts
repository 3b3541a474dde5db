import { randomUUID } from "node:crypto";
import { AppError } from "@web-tester/contracts/errors";
import { Client } from "pg";
import { translate } from "./database.js";

/** A connection to the database. */
export interface Session {
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  end(): Promise<void>;
}

const answerMs = 5_000;
const name = "web_tester.session";

/**
 * Refuses an address that leads to a pooler which does not keep the session of a connection, such as PgBouncer with `pool_mode =
 * transaction`: places at hosts, migrations and backups are session locks, which such a pooler loses or gives to other clients. The first
 * connection sets a value for its session; then the second one must not see it, and the first one must still see it while the second is in
 * a transaction. When the database is too busy to answer within seconds, nothing is refused.
 * @param open opens a new connection to the address
 * @throws AppError invalid_input with what to do; what `open` throws
 */
export async function requireSessions(open: () => Promise<Session>): Promise<void> {
  const [one, other] = [await open(), await open()];
  try {
    if (await areShared(one, other)) throw new AppError("invalid_input", refusal);
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

async function areShared(one: Session, other: Session): Promise<boolean> {
  const token = randomUUID();
  await one.query(`SELECT set_config('${name}', $1, false)`, [token]);
  try {
    await other.query("BEGIN");
  } catch (error) {
    // pool_mode = statement knows no transactions at all
    if (error instanceof Error && /pooling mode/.test(error.message)) return true;
    throw error;
  }
  const seen = await valueIn(other);
  if (seen === token) return true;
  // when the pooler has only one connection to the server, this query waits for the other client's transaction to end
  const kept = await Promise.race([valueIn(one), later()]);
  await other.query("ROLLBACK");
  return kept !== undefined && kept !== token;
}

async function valueIn(session: Session): Promise<string | null> {
  const [row] = await session.query(`SELECT current_setting('${name}', true) AS value`);
  return typeof row?.["value"] === "string" ? row["value"] : null;
}

function later(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), answerMs).unref());
}

const refusal =
  "DATABASE_URL leads to a connection pooler that does not keep sessions (such as PgBouncer with pool_mode = transaction): " +
  "places at hosts, migrations and backups are locks of a session, which it loses or gives to others. " +
  "Set DATABASE_URL to PostgreSQL itself, or set pool_mode = session.";

/** Opens a connection for `requireSessions`. @param url postgres:// address */
export async function openSession(url: string): Promise<Session> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, application_name: "web-tester" });
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw translate(error);
  }
  return {
    query: async (sql, values = []) => {
      try {
        return (await client.query<Record<string, unknown>>(sql, [...values])).rows;
      } catch (error) {
        throw translate(error);
      }
    },
    end: () => client.end(),
  };
}
