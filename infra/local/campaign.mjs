// @ts-check
/** Command `npm run campaign [-- option …]`: builds what has changed and runs the campaign of tests/campaign; `--help` says how. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./bootstrap/project.mjs";
import { ensureBuilt } from "./ensure-built.mjs";
import { StartError } from "./stack/start-error.mjs";

try {
  await ensureBuilt((line) => process.stderr.write(`${line}\n`));
  await import(pathToFileURL(join(root, "tests", "campaign", "main.ts")).href);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
