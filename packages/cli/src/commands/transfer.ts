import { createReadStream, createWriteStream, openAsBlob } from "node:fs";
import { lstat, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { blob as wholeOf } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { importJob } from "@web-tester/contracts/entities/transfer";
import { type Command, Option } from "commander";
import { CannotRun } from "../client.js";
import { findObject } from "../find-object.js";
import { tell } from "../progress.js";
import { printable } from "../report/reports.js";
import type { Session } from "../session.js";

interface ExportCommand {
  format: "json" | "archive" | "wacz";
}

/** Names of what the shell has opened; by these names a socket could not be opened again. */
const inputs: ReadonlySet<string> = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);
const outputs: ReadonlySet<string> = new Set(["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]);

/**
 * Writes what comes to a file, beside it until all of it is there: an older file that is whole does not make room for a part of a new one.
 * @returns bytes
 */
async function save(body: ReadableStream<Uint8Array>, file: string, signal: AbortSignal): Promise<number> {
  const isOutput = outputs.has(file);
  // neither a pipe nor a device can be replaced, nor what a link leads to
  const isFile =
    !isOutput &&
    (await lstat(file).then(
      (known) => known.isFile(),
      () => true,
    ));
  const part = isFile ? `${file}.part` : file;
  let bytes = 0;
  // the first of them to fail takes the other with it, with the same error
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
        ? `The server broke off, so ${file} was not written. Export again.`
        : `The file cannot be written to ${file}: ${wordsOf(error)}`,
    );
  }
}

/** What comes through a pipe is held in memory. */
async function open(file: string): Promise<Blob> {
  try {
    if (inputs.has(file)) return await wholeOf(createReadStream("", { fd: 0, autoClose: false }));
    const known = await stat(file);
    if (known.isDirectory()) throw new Error("it is a folder");
    return await (known.isFile() ? openAsBlob(file) : wholeOf(createReadStream(file)));
  } catch (error) {
    throw new CannotRun(`${file} cannot be read: ${wordsOf(error)}`);
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `export`, `import` */
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
      // words between the bytes would spoil them
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
