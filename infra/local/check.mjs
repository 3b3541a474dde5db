// @ts-check
/** Command `npm run check`: types, format, lint with the arrows, dead code. */
import { runChecks } from "./checks.mjs";
import { endingSignal } from "./ending.mjs";

const { passed, failed } = await runChecks({
  say: (line) => process.stdout.write(`${line}\n`),
  signal: endingSignal(),
});
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
