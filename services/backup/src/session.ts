import { AppError } from "@web-tester/contracts/errors";
import { openSession, requireSessions } from "@web-tester/platform/database/require-sessions";
import { Client } from "pg";

/** A database connection whose advisory locks matter. */
export interface Session {
  client: Client;
  /** Aborted when the caller's signal is, or when the connection breaks and its locks are lost. */
  signal: AbortSignal;
  close(): Promise<void>;
}

/** @throws AppError unavailable */
export async function connect(url: string, name: string, signal: AbortSignal): Promise<Session> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  const lost = new AbortController();
  client.on("error", (cause) =>
    lost.abort(
      new AppError("unavailable", `The connection to the database broke (${cause.message}): start again.`, { cause }),
    ),
  );
  try {
    await client.connect();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      "unavailable",
      `The database does not answer (${why}). Check that PostgreSQL runs and DATABASE_URL is right.`,
      { cause },
    );
  }
  await requireSessions(() => openSession(url)).catch(async (error: unknown) => {
    await client.end().catch(() => undefined);
    throw error;
  });
  return {
    client,
    signal: AbortSignal.any([signal, lost.signal]),
    close: () => client.end().catch(() => undefined),
  };
}

const sayEveryMs = 5_000;

/** Returns a progress callback that prints every few seconds how far a copy is. @param total the number of objects */
export function inWords(say: (line: string) => void, total: number): (done: number) => void {
  let saidAt = performance.now();
  return (done) => {
    if (performance.now() - saidAt < sayEveryMs) return;
    saidAt = performance.now();
    say(`${done} of ${total} contents …`);
  };
}
