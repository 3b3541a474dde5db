// @ts-check
/** Command `npm test [-- path …]`: sets everything up on a machine that has only Node 20 and npm, and runs all tests. */
import { enter } from "./bootstrap/enter.mjs";

const entered = await enter("infra/local/run-tests.mjs", process.argv.slice(2));
if (!entered) process.stdout.write("0 passed, 1 failed\n");
