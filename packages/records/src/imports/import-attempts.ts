import { AppError, type ErrorCode } from "@web-tester/contracts/errors";
import { type Database, isRefusal } from "@web-tester/platform/database/database";
import { endJob, failureWords } from "./import-job.js";

/**
 * How many attempts in a row may fail before an import is given up, by reason. What the database refuses it will mostly refuse again; an
 * unreachable database or store comes back; other faults, and those that crash the process, get a few more attempts.
 */
const triesMax = { lost: 1, refused: 3, other: 5, crashed: 5, away: 20 } as const;
const lostCodes: ReadonlySet<ErrorCode> = new Set(["content_missing", "content_damaged"]);

const nextName = `SELECT data ->> 'name' AS name FROM import_row WHERE import_id = $1 AND list = 0 ORDER BY record LIMIT 1`;
const begin = `
  UPDATE import_job SET attempts = attempts + 1 WHERE id = $1 AND state = 'applying' RETURNING attempts - 1 - failures AS crashes, attempts - 1 AS tries`;

/**
 * Counts an attempt to write the next object before it begins, so that one that crashes the process is counted too. Gives the import up
 * after too many crashes.
 * @returns false when there is nothing to do: the import is over, or was given up now
 */
export async function beginAttempt(db: Database, importId: string): Promise<boolean> {
  const [before] = await db.query<{ crashes: number; tries: number }>(begin, [importId]);
  if (before === undefined) return false;
  if (before.crashes < triesMax.crashed) return true;
  const reason = `the gateway ended ${before.crashes} times while it was writing, so that there are no words for it; its log, or the system's, may say why`;
  await giveUp(db, importId, before.tries, reason);
  return false;
}

const fail = `
  UPDATE import_job SET failures = failures + 1, failure = $2 WHERE id = $1 AND state = 'applying' RETURNING attempts, failures`;

/**
 * Records why an attempt failed, and gives the import up after too many failures.
 * @returns a sentence for a person
 */
export async function noteFailure(db: Database, importId: string, error: unknown): Promise<string> {
  const reason = reasonOf(error);
  const [job] = await db.query<{ attempts: number; failures: number }>(fail, [importId, reason]);
  if (job === undefined) return `Writing failed: ${reason}`;
  if (job.failures < triesMax[kindOf(error)]) return failureWords(job.failures, reason);
  return giveUp(db, importId, job.attempts, reason);
}

async function giveUp(db: Database, importId: string, attempts: number, reason: string): Promise<string> {
  const [next] = await db.query<{ name: string | null }>(nextName, [importId]);
  const what = next?.name == null ? "The end of the import" : `“${next.name}”`;
  const tries = attempts === 1 ? "" : ` It was tried ${attempts} times.`;
  const words = `${what} could not be written: ${reason}.${tries} What was written before stays; import the file again when that is mended.`;
  await endJob(db, importId, "failed", words);
  return words;
}

function kindOf(error: unknown): keyof typeof triesMax {
  if (error instanceof AppError && lostCodes.has(error.code)) return "lost";
  if (error instanceof AppError && error.code === "unavailable") return "away";
  return isRefusal(error) ? "refused" : "other";
}

/** Returns the reason of a failure without a full stop. */
function reasonOf(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replaceAll("\0", "").toWellFormed();
  const said = text.slice(0, 500).replace(/[.\s]+$/, "");
  return isRefusal(error) ? `the database refused it (${said})` : said;
}
