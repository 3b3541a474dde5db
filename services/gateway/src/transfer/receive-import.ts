import { jobWords } from "@web-tester/contracts/job-lines";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Response } from "@web-tester/contracts/api";
import { AppError, errorCodes } from "@web-tester/contracts/errors";
import type { ImportFault } from "@web-tester/contracts/entities/transfer";
import type { Bus } from "@web-tester/platform/bus/bus";
import { applyImport } from "./apply-import.js";
import { endJob, insertJob, selectJob, startApplying } from "@web-tester/records/imports/import-job";
import type { CaptureTarget } from "./captures/stage-captures.js";
import { openUpload, type Upload } from "./read-upload.js";
import { type RecordFaults, type StageDeps, stageRecords } from "./stage-records.js";
import { joinStaged } from "@web-tester/records/imports/staged-objects";
import { insertStaged, misfits } from "@web-tester/records/imports/staged-records";

export interface ReceiveDeps extends StageDeps {
  bus: Bus;
  signal: AbortSignal;
}

export interface ImportOptions {
  background: boolean;
  name: string | null;
  /** The object that a web archive is imported to; null: the site of its first page. */
  target?: CaptureTarget | null;
}

const beatMs = 5_000;
const endAgainMs = 1_000;
const endAgainWithinMs = 600_000;
const noFaults: RecordFaults = { first: [], total: 0 };

/**
 * Reads an uploaded file, checks all of it, and then writes it: here, or in the background. A file with any fault changes nothing.
 * @throws AppError what is wrong with the file, listed in its details
 */
export async function receiveImport(
  deps: ReceiveDeps,
  request: IncomingMessage,
  { background, name, target = null }: ImportOptions,
): Promise<Response<"importData">> {
  const { db, bus } = deps;
  const upload = openUpload(request, name);
  const length = Number(request.headers["content-length"]);
  const jobId = await insertJob(db, name, Number.isSafeInteger(length) ? length : null);
  bus.logLine(jobId, "info", name === null ? jobWords("import-started", {}) : jobWords("import-of-started", { name }));
  const faults = await read(deps, jobId, upload, target);
  if (faults.total > 0) throw await refuse(deps, jobId, faults);
  if (!background) return answer(deps, jobId);
  await goOnInBackground(bus, jobId);
  return { jobId };
}

async function goOnInBackground(bus: Bus, jobId: string): Promise<void> {
  await bus
    .publish([{ name: "import", body: { importId: jobId }, dedupeId: `${jobId}:0` }])
    // the reconciler publishes it again
    .catch(() => undefined);
}

/**
 * Reads, checks and stages the whole file.
 * @throws AppError after the import was marked as failed
 */
async function read(
  { db, store, secrets, bus, signal }: ReceiveDeps,
  jobId: string,
  upload: Upload,
  target: CaptureTarget | null,
): Promise<RecordFaults> {
  // keeps the job alive while a slow sender is still sending
  const beat = setInterval(() => {
    insertStaged(db, jobId, [], upload.bytes()).catch(() => undefined);
  }, beatMs);
  try {
    const faults = await stageRecords({ db, store, secrets }, jobId, await upload.open(), upload.bytes, target);
    if (faults.total > 0) return faults;
    const wrong = await misfits(db, jobId);
    if (wrong.length > 0) return { first: wrong, total: wrong.length };
    await joinStaged(db, jobId);
    await startApplying(db, jobId, upload.bytes());
    return noFaults;
  } catch (fault) {
    const error = afterUpload(fault);
    const message = error instanceof AppError ? error.message : "Reading the file failed here. Import it again.";
    await endFailed({ db, signal }, jobId, message);
    bus.logLine(jobId, "error", jobWords("import-failed", { reason: message }));
    throw error;
  } finally {
    // also for a file that is refused at its beginning: its sender reads the answer only after sending everything
    upload.drop();
    clearInterval(beat);
  }
}

/**
 * Marks an import as failed. If the database itself is what failed, that is repeated in the background as long as it does not answer, so
 * that the list of imports says why as soon as it can; the reconciler, which would end the import later, knows no reason.
 */
async function endFailed(
  { db, signal }: Pick<ReceiveDeps, "db" | "signal">,
  jobId: string,
  why: string,
): Promise<void> {
  const end = () =>
    endJob(db, jobId, "failed", why).then(
      () => true,
      () => false,
    );
  if (await end()) return;
  const until = performance.now() + endAgainWithinMs;
  const again = async () => {
    while (performance.now() < until) {
      await sleep(endAgainMs, undefined, { signal, ref: false });
      if (await end()) return;
    }
  };
  // stopping the gateway ends it too
  again().catch(() => undefined);
}

/** Adds to faults of the server, as opposed to those of the upload, that nothing was imported. */
function afterUpload(error: unknown): unknown {
  if (!(error instanceof AppError) || errorCodes[error.code].http < 500) return error;
  return new AppError(
    error.code,
    `${error.message.replace(/\.$/, "")}. Nothing was imported; send the file again then.`,
    {
      cause: error,
    },
  );
}

async function refuse({ db, bus }: ReceiveDeps, jobId: string, faults: RecordFaults): Promise<AppError> {
  const [first, ...rest] = faults.first;
  const more =
    faults.total > 1 ? ` And ${faults.total - 1} more ${rest.length === 1 ? "fault" : "faults"}, see details.` : "";
  const message = `Nothing was imported: ${first === undefined ? "the file has faults" : sentence(first)}.${more}`;
  await endJob(db, jobId, "failed", message, faults);
  bus.logLine(jobId, "error", jobWords("import-failed", { reason: message, reasonCode: "invalid_input" }));
  return new AppError("invalid_input", message, { details: faults.first });
}

function sentence({ list, record, line, message }: ImportFault): string {
  return `${list} record ${record} (line ${line}): ${message}`;
}

async function answer({ db, bus, signal }: ReceiveDeps, jobId: string): Promise<Response<"importData">> {
  const end = await applyImport({ db, bus, signal }, jobId).catch((error: unknown) => ({ error }));
  const job = await selectJob(db, jobId);
  if (end === false || job === null)
    throw new AppError(
      "unavailable",
      "The server is stopping; the import continues after the restart. Check the list of imports then.",
    );
  if (end !== true && job.state === "applying") {
    await goOnInBackground(bus, jobId);
    throw new AppError(
      "unavailable",
      `${job.error ?? "Writing failed and is retried automatically."} Check the list of imports.`,
      { cause: end.error },
    );
  }
  const [fault] = job.faults;
  if (job.state !== "finished")
    throw new AppError(
      "conflict",
      `The import did not finish: ${(fault?.message ?? job.error ?? "it was cancelled").replace(/\.$/, "")}.`,
      { details: job.faults, ...(end === true ? {} : { cause: end.error }) },
    );
  return { jobId, ...job.imported, existing: job.existing, notes: job.notes };
}
