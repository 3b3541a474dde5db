import { AppError } from "@web-tester/contracts/errors";
import { loadConfig } from "../config.js";
import { withSecretFiles } from "../secret-files.js";
import { backUp } from "./backup.js";
import { restore } from "./restore.js";

/**
 * Command: `node main.js backup|restore FOLDER` with `DATABASE_URL`, `STORAGE_URL` and, to notice a wrong one, `SECRET_KEY` of the product. A backup
 * may be taken while the product runs; a restore needs an empty product without services.
 */
async function main(): Promise<void> {
  const [command, folder] = process.argv.slice(2);
  if ((command !== "backup" && command !== "restore") || folder === undefined || folder === "")
    throw new AppError("invalid_input", "Say what to do and where: backup FOLDER, or restore FOLDER.");
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () =>
      stopping.abort(new AppError("unavailable", "Stopped before the end: start again to go on.")),
    );
  const env = withSecretFiles(process.env);
  // of the bus nothing is kept: streams are made anew, and find their work in the rows
  const { databaseUrl, storageUrl, secretKey } = loadConfig({ ...env, NATS_URL: "nats://127.0.0.1" });
  await (command === "backup" ? backUp : restore)(
    { databaseUrl, storageUrl, secretKey },
    { folder, say: (line) => process.stdout.write(`${line}\n`), signal: stopping.signal },
  );
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
