// @ts-check
import { rmSync } from "node:fs";
import { join } from "node:path";
import { cache } from "./bootstrap/project.mjs";

/** Where V8's compiled code of our programs is kept; where it cannot be written, Node compiles each time. */
const folder = join(cache, "compiled");

/**
 * Lets the programs that are started take the code that V8 compiled the last time: an eighth of what a start of the product costs.
 * @param {NodeJS.ProcessEnv} env a folder that it names is kept to
 * @returns {NodeJS.ProcessEnv}
 * @see https://nodejs.org/api/module.html#module-compile-cache
 */
export function withCompiledCode(env) {
  return { NODE_COMPILE_CACHE: folder, ...env };
}

/** What was compiled of programs that are built anew is never asked for again. */
export function forgetCompiledCode() {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // another process writes in it: the next build removes it
  }
}
