// @ts-check
/** Command `npm run build`: compiles services and web application if something has changed. */
import { ensureBuilt } from "./ensure-built.mjs";
import { StartError } from "./stack/start-error.mjs";

try {
  await ensureBuilt((line) => process.stdout.write(`${line}\n`));
  process.stdout.write("Everything is built.\n");
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
