// @ts-check
/** Command `npm run bench [-- <name> [argument …]]`: builds and runs a program of benches/; without a name it lists them. */
import { runNamed } from "./run-named.mjs";

await runNamed({ folder: "benches", word: "bench", title: "Benches" });
