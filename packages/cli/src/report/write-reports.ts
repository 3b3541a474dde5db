import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { wordsOf } from "../client.js";

/** A file that the user may have asked for, and what to write into it. */
export type Report = readonly [file: string | undefined, text: () => string];

/** How long reports may take that are written after the program was interrupted. */
const afterInterruptMs = 5_000;

/**
 * Writes files, in folders that are made where they are not there.
 * @param signal interrupts writing, which a pipe without a reader or a file system that hangs would hold up for good
 * @returns what is wrong with those that cannot be written, which keep none of the others from whoever waits for them
 */
export async function writeReports(reports: readonly Report[], signal: AbortSignal): Promise<string[]> {
  const faults: string[] = [];
  const until = signal.aborted ? AbortSignal.timeout(afterInterruptMs) : signal;
  for (const [file, text] of reports)
    if (file !== undefined)
      try {
        await untilAborted(writeReport(file, text()), until);
      } catch (error) {
        faults.push(`Cannot write the report to ${file}: ${wordsOf(error)}`);
      }
  return faults;
}

async function writeReport(file: string, text: string): Promise<void> {
  await makeFolder(dirname(file));
  await writeFile(file, text);
}

/** Not `recursive: true`: below /proc Node takes the ENOENT of its file system for a missing parent, and retries for ever. */
async function makeFolder(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined)) !== undefined) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    // another program may make it at the same time
    if (error.code !== "EEXIST") throw error;
  });
}

/** Waits for what cannot be cancelled. @throws the reason of the signal once it is aborted */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new Error("it was stopped"));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
