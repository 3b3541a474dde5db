import type { IncomingMessage } from "node:http";
import type { Response } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { ImportFault } from "@web-tester/contracts/entities";
import type { Bus } from "@web-tester/platform/bus/bus";
import { applyImport } from "./apply-import.js";
import { endJob, insertJob, selectJob, startApplying } from "./import-job.sql.js";
import { openUpload, type Upload } from "./read-upload.js";
import { type RecordFaults, type StageDeps, stageRecords } from "./stage-records.js";
import { insertStaged, misfits } from "./staging.sql.js";

export interface ReceiveDeps extends StageDeps {
  bus: Bus;
  signal: AbortSignal;
}

export interface ImportOptions {
  background: boolean;
  name: string | null;
}

const beatMs = 5_000;
const noFaults: RecordFaults = { first: [], total: 0 };

/**
 * Reads an uploaded file, checks all of it, and then writes it: here, or in the background. A file with any fault changes nothing.
 * @throws AppError what is wrong with the file, listed in its details
 */
export async function receiveImport(
  deps: ReceiveDeps,
  request: IncomingMessage,
  { background, name }: ImportOptions,
): Promise<Response<"importData">> {
  const { db, bus } = deps;
  const upload = openUpload(request);
  const length = Number(request.headers["content-length"]);
  const jobId = await insertJob(db, name, Number.isSafeInteger(length) ? length : null);
  bus.logLine(jobId, "info", `Import${name === null ? "" : ` of ${name}`} started: reading the file`);
  const faults = await read(deps, jobId, upload);
  if (faults.total > 0) throw await refuse(deps, jobId, faults);
  if (!(await startApplying(db, jobId, upload.bytes())))
    throw new AppError("conflict", "The import was cancelled. Nothing was imported.");
  if (background) {
    await bus
      .publish([{ name: "import", body: { importId: jobId }, dedupeId: `${jobId}:0` }])
      // the reconciler repeats it
      .catch(() => undefined);
    return { jobId };
  }
  return answer(deps, jobId);
}

/** @throws AppError after the import was marked as failed */
async function read({ db, store, secrets, bus }: ReceiveDeps, jobId: string, upload: Upload): Promise<RecordFaults> {
  // a slow sender is not a dead one
  const beat = setInterval(() => {
    insertStaged(db, jobId, [], upload.bytes()).catch(() => undefined);
  }, beatMs);
  try {
    const faults = await stageRecords({ db, store, secrets }, jobId, await upload.open(), upload.bytes);
    if (faults.total > 0) return faults;
    const wrong = await misfits(db, jobId);
    return wrong.length === 0 ? noFaults : { first: wrong, total: wrong.length };
  } catch (error) {
    const message = error instanceof AppError ? error.message : "Reading the file failed here. Import it again.";
    await endJob(db, jobId, "failed", message).catch(() => undefined);
    bus.logLine(jobId, "error", `Import failed: ${message}`);
    throw error;
  } finally {
    clearInterval(beat);
  }
}

async function refuse({ db, bus }: ReceiveDeps, jobId: string, faults: RecordFaults): Promise<AppError> {
  const [first, ...rest] = faults.first;
  const more =
    faults.total > 1 ? ` And ${faults.total - 1} more ${rest.length === 1 ? "fault" : "faults"}, see details.` : "";
  const message = `Nothing was imported: ${first === undefined ? "the file has faults" : sentence(first)}.${more}`;
  await endJob(db, jobId, "failed", message, faults);
  bus.logLine(jobId, "error", `Import failed: ${message}`);
  return new AppError("invalid_input", message, { details: faults.first });
}

function sentence({ list, record, line, message }: ImportFault): string {
  return `${list} record ${record} (line ${line}): ${message}`;
}

async function answer({ db, bus, signal }: ReceiveDeps, jobId: string): Promise<Response<"importData">> {
  const whole = await applyImport({ db, bus, signal }, jobId, () => undefined);
  const job = await selectJob(db, jobId);
  if (job === null || !whole)
    throw new AppError(
      "unavailable",
      "The server is stopping; the import goes on when it is back. Look at the list of imports then.",
    );
  const [fault] = job.faults;
  if (job.state !== "finished")
    throw new AppError("conflict", `The import did not finish: ${fault?.message ?? job.error ?? "it was cancelled"}.`, {
      details: job.faults,
    });
  return { jobId, ...job.imported, existing: job.existing };
}
