// @ts-check
/**
 * Command `npm run check`: types, format, lint with the arrows, dead code. `npm run check -- --counts [FOLDER]` instead shows counts
 * of the code here, or of another checkout.
 */
import { resolve } from "node:path";
import { root } from "./bootstrap/project.mjs";
import { runChecks } from "./checks.mjs";
import { endingSignal } from "./ending.mjs";

const [option, folder = root] = process.argv.slice(2);
if (option === "--counts") {
  const { countCode } = await import("./lint/counts.mjs");
  for (const { name, count } of countCode(resolve(folder))) process.stdout.write(`${name}: ${count}\n`);
  process.exit(0);
}

const { passed, failed } = await runChecks({
  say: (line) => process.stdout.write(`${line}\n`),
  signal: endingSignal(),
});
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
