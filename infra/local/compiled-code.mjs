// @ts-check
import { rmSync } from "node:fs";
import { join } from "node:path";
import { cache } from "./bootstrap/project.mjs";

/** Folder of the code that V8 compiled of our programs; if it cannot be written, Node compiles each time. */
const folder = join(cache, "compiled");

/**
 * Lets started programs reuse the code that V8 compiled last time, which saves an eighth of what a start of the product costs.
 * @param {NodeJS.ProcessEnv} env if it names a folder, that one is used
 * @returns {NodeJS.ProcessEnv}
 * @see https://nodejs.org/api/module.html#module-compile-cache
 */
export function withCompiledCode(env) {
  return { NODE_COMPILE_CACHE: folder, ...env };
}

/** Removes the compiled code: that of programs that have been rebuilt is never used again. */
export function forgetCompiledCode() {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // another process writes in it: the next build removes it
  }
}
