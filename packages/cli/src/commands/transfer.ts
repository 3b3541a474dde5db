import { createWriteStream, openAsBlob } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { CannotRun } from "../client.js";
import { findObject } from "../find-object.js";
import { tell } from "../progress.js";
import type { Session } from "../session.js";

interface ExportCommand {
  format: "json" | "archive" | "wacz";
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `export`, `import` */
export function addTransfer(program: Command, session: Session): void {
  program
    .command("export <file> [object]")
    .description("write test objects to a file; all of them, or one")
    .addOption(new Option("--format <format>", "of the file").choices(["json", "archive", "wacz"]).default("json"))
    .action(async (file: string, named: string | undefined, { format }: ExportCommand) => {
      const { call, raw } = await session.client();
      const query = new URLSearchParams({ format });
      if (named !== undefined) query.set("testObjectId", (await findObject(call, named)).id);
      const { body } = await raw("GET", `/api/export?${query.toString()}`);
      if (body === null) throw new CannotRun("The server sent nothing.");
      let bytes = 0;
      const counted = Readable.fromWeb(body).on("data", (part: Buffer) => (bytes += part.length));
      await pipeline(counted, createWriteStream(file)).catch((error: unknown) => {
        if (session.signal.aborted) throw error;
        throw new CannotRun(`The file cannot be written to ${file}: ${wordsOf(error)}`);
      });
      session.print({ file, bytes }, `${bytes} bytes in ${file}\n`);
    });

  program
    .command("import <file>")
    .description("read test objects from a file that was exported")
    .action(async (file: string) => {
      const { raw } = await session.client();
      const blob = await openAsBlob(file).catch((error: unknown) => {
        throw new CannotRun(`${file} cannot be read: ${wordsOf(error)}`);
      });
      tell(session.progress, `Import: ${blob.size} bytes`, true);
      const type = /\.(?:t?gz)$/i.test(file) ? "application/gzip" : "application/json";
      const answer: unknown = await (await raw("POST", "/api/import", blob, type)).json();
      session.print(answer, `${file} is imported.\n`);
    });
}
