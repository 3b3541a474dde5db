// @ts-check
/** Command `npm start`: sets everything up on a machine that has only Node 20 and npm, and serves the product. */
import { enter } from "./bootstrap/enter.mjs";

await enter("infra/local/run-stack.mjs", process.argv.slice(2));
