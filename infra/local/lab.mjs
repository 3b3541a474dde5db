// @ts-check
/** Command `npm run lab [-- <name> [argument …]]`: tries the product against a real part that it does not bring along; without a name it lists them. */
import { runNamed } from "./run-named.mjs";

await runNamed({ folder: "benches/labs", word: "lab", title: "Labs" });
