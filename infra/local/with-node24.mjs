// @ts-check
/** Command: `node with-node24.mjs <script> [argument …]` installs what is needed and runs one of our programs under Node 24. */
import { enter } from "./bootstrap/enter.mjs";

const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  process.stderr.write("Name the program to run: node infra/local/with-node24.mjs infra/local/build.mjs\n");
  process.exitCode = 1;
} else {
  await enter(script, args);
}
