import { createReadStream, createWriteStream, openAsBlob } from "node:fs";
import { lstat, rename, rm, stat } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { blob as wholeOf } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { importFault, importJob, type TransferCounts, transferCounts } from "@web-tester/contracts/entities/transfer";
import { limits } from "@web-tester/contracts/limits";
import { type Command, Option } from "commander";
import { z } from "zod";
import { CannotRun, Refused, wordsOf } from "../client.js";
import { findObject } from "../find-object.js";
import { tell } from "../progress.js";
import { printable } from "../report/reports.js";
import type { Session } from "../session.js";

interface ExportCommand {
  format: "json" | "archive" | "wacz";
}

/** Names for streams that the shell has opened; a socket could not be opened again by its name. */
const inputs: ReadonlySet<string> = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);
const outputs: ReadonlySet<string> = new Set(["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]);

/**
 * Writes a stream to a file, under a temporary name until it is complete, so that a complete older file is never replaced by a partial one.
 * @returns the number of bytes
 */
async function save(body: ReadableStream<Uint8Array>, file: string, signal: AbortSignal): Promise<number> {
  const isOutput = outputs.has(file);
  // pipes, devices and symbolic links cannot be replaced by renaming, so they are written to directly
  const isFile =
    !isOutput &&
    (await lstat(file).then(
      (known) => known.isFile(),
      () => true,
    ));
  const part = isFile ? `${file}.part` : file;
  let bytes = 0;
  // whichever stream fails first makes the other one fail with the same error
  let isFilesFault: boolean | undefined;
  const counted = Readable.fromWeb(body).on("data", (piece: Uint8Array) => (bytes += piece.length));
  counted.once("error", () => (isFilesFault ??= false));
  const target = isOutput ? createWriteStream("", { fd: 1, autoClose: false }) : createWriteStream(part);
  target.once("error", () => (isFilesFault ??= true));
  try {
    await pipeline(counted, target);
    if (isFile) await rename(part, file);
    return bytes;
  } catch (error) {
    if (isFile) await rm(part, { force: true }).catch(() => undefined);
    if (signal.aborted) throw error;
    throw new CannotRun(
      isFilesFault === false
        ? `The server closed the connection, so ${file} was not written. Export again.`
        : `Cannot write the file ${file}: ${wordsOf(error)}`,
    );
  }
}

/** Opens a file as a Blob; pipes are read into memory. */
async function open(file: string): Promise<Blob> {
  try {
    if (inputs.has(file)) return await wholeOf(createReadStream("", { fd: 0, autoClose: false }));
    const known = await stat(file);
    if (known.isDirectory()) throw new Error("it is a folder");
    return await (known.isFile() ? openAsBlob(file) : wholeOf(createReadStream(file)));
  } catch (error) {
    throw new CannotRun(`Cannot read ${file}: ${wordsOf(error)}`);
  }
}

/** Adds the commands `export` and `import`. */
export function addTransfer(program: Command, session: Session): void {
  program
    .command("export <file> [object]")
    .description("write test objects to a file (- is the standard output); all of them, or one")
    .addOption(new Option("--format <format>", "of the file").choices(["json", "archive", "wacz"]).default("json"))
    .action(async (file: string, named: string | undefined, { format }: ExportCommand) => {
      const { call, raw } = await session.client();
      const query = new URLSearchParams({ format });
      if (named !== undefined) query.set("testObjectId", (await findObject(call, named)).id);
      const { body } = await raw("GET", `/api/export?${query.toString()}`);
      if (body === null) throw new CannotRun("The server sent nothing.");
      const bytes = await save(body, file, session.signal);
      // a message on the same output would corrupt the exported bytes
      if (outputs.has(file)) tell(session.progress, `Export: ${bytes} bytes`, true);
      else session.print({ file, bytes }, `${bytes} bytes in ${file}\n`);
    });

  program
    .command("import <file>")
    .description("read test objects from a file that was exported (- is the standard input)")
    .action(async (file: string) => {
      const { raw } = await session.client();
      const blob = await open(file);
      // the list of imports shows what the file was called
      const query = inputs.has(file)
        ? ""
        : `?${new URLSearchParams({ name: basename(file).slice(-limits.nameMaxChars) })}`;
      tell(session.progress, `Import: ${blob.size} bytes`, true);
      const type = /\.(?:t?gz)$/i.test(file) ? "application/gzip" : "application/json";
      const sent = await raw("POST", `/api/import${query}`, blob, type).catch((error: unknown) => {
        throw withAllFaults(error);
      });
      const answer: unknown = await sent.json();
      session.print(answer, [...importLines(file, answer)].map((line) => `${printable(line)}\n`).join(""));
    });
}

const importAnswer = transferCounts.extend({ existing: transferCounts, notes: importJob.shape.notes });

/** What an import added, what it left as it was, and what is left for a person to do. */
function* importLines(file: string, answer: unknown): Iterable<string> {
  const done = importAnswer.safeParse(answer).data;
  if (done === undefined) throw new CannotRun(`The server did not say what it imported from ${file}.`);
  yield `${file} is imported: ${countsOf(done)} new.`;
  const { objects, instances, snapshots } = done.existing;
  if (objects + instances + snapshots > 0) yield `Known before, and left as they are: ${countsOf(done.existing)}.`;
  yield* done.notes;
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const countsOf = ({ objects, instances, snapshots }: TransferCounts) =>
  `${counted(objects, "object")}, ${counted(instances, "instance")}, ${counted(snapshots, "snapshot")}`;

const faults = z.array(importFault).min(2);

/** Adds the faults of a refused file that the message only counts. */
function withAllFaults(error: unknown): unknown {
  const [, ...more] = error instanceof Refused ? (faults.safeParse(error.details).data ?? []) : [];
  if (!(error instanceof Refused) || more.length === 0) return error;
  const lines = more.map(({ list, record, line, message }) =>
    list === null ? message : `${list} record ${record} (line ${line}): ${message}`,
  );
  return new CannotRun([error.message, ...lines].join("\n"));
}
