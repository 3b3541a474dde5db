import { AppError } from "@web-tester/contracts/errors";
import type { Queryable } from "@web-tester/platform/database/database";

const lock = `SELECT state, error FROM import_job WHERE id = $1 FOR SHARE`;

/**
 * Keeps an import in the state of reading until the transaction is over.
 * @throws AppError conflict where it has ended meanwhile, with what it ended with
 */
export async function requireReading(tx: Queryable, importId: string): Promise<void> {
  const [job] = await tx.query<{ state: string; error: string | null }>(lock, [importId]);
  if (job?.state !== "reading")
    throw new AppError("conflict", job?.error ?? "The import was cancelled. Nothing was imported.");
}
