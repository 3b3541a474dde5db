import { parseArgs } from "node:util";
import { AppError } from "@web-tester/contracts/errors";
import { loadConfig } from "@web-tester/platform/config/config";
import { withSecretFiles } from "@web-tester/platform/secrets/secret-files";
import { backUp } from "./backup.js";
import { restore } from "./restore.js";

/**
 * Command: `node main.js backup FOLDER`, or `node main.js restore FOLDER [--incomplete | --last-whole]`, with `DATABASE_URL`, `STORAGE_URL`
 * and, to notice a wrong one, `SECRET_KEY` of the product. A backup may be taken while the product runs; a restore needs an empty product
 * without running services.
 */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { incomplete: { type: "boolean" }, "last-whole": { type: "boolean" } },
  });
  const [command, folder] = positionals;
  const { incomplete = false, "last-whole": lastWhole = false } = values;
  if (
    (command !== "backup" && command !== "restore") ||
    folder === undefined ||
    folder === "" ||
    (command === "backup" && (incomplete || lastWhole))
  )
    throw new AppError(
      "invalid_input",
      "Say what to do and where: backup FOLDER, or restore FOLDER [--incomplete | --last-whole].",
    );
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () =>
      stopping.abort(new AppError("unavailable", "Stopped before the end: start again to go on.")),
    );
  const env = withSecretFiles(process.env);
  // nothing of the bus is backed up: its streams are created again, and their messages come from the rows
  const { databaseUrl, storageUrl, secretKey } = loadConfig({ ...env, NATS_URL: "nats://127.0.0.1" });
  const place = { databaseUrl, storageUrl, secretKey };
  const options = { folder, say: (line: string) => process.stdout.write(`${line}\n`), signal: stopping.signal };
  if (command === "backup") await backUp(place, options);
  else await restore(place, { ...options, incomplete, lastWhole });
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
