import { createReadStream, createWriteStream, openAsBlob } from "node:fs";
import { lstat, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { blob as wholeOf } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { importJob } from "@web-tester/contracts/entities/transfer";
import { type Command, Option } from "commander";
import { CannotRun, wordsOf } from "../client.js";
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
      tell(session.progress, `Import: ${blob.size} bytes`, true);
      const type = /\.(?:t?gz)$/i.test(file) ? "application/gzip" : "application/json";
      const answer: unknown = await (await raw("POST", "/api/import", blob, type)).json();
      const notes = importJob.pick({ notes: true }).safeParse(answer).data?.notes ?? [];
      session.print(answer, [`${file} is imported.`, ...notes].map((line) => `${printable(line)}\n`).join(""));
    });
}
