// @ts-check
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./bootstrap/project.mjs";

/** Compiled programs that `npm run build` bundles into a few files each; paths relative to the checkout. */
export const bundled = [
  ...["gateway", "crawler", "fetcher", "differ", "backup"].map((service) => `services/${service}/dist/main.js`),
  "packages/records/dist/schema/migrate.js",
];

/** @param {string} program one of `bundled` @param {string} [home] the checkout */
export const bundleOf = (program, home = root) => join(home, dirname(program), "bundle", "main.js");

/**
 * The file to run for a program: its bundle, or the compiler's output if there is no bundle or it is older than that output.
 * @param {string} program one of `bundled`
 * @param {string} [home] the checkout
 */
export function programOf(program, home = root) {
  return isBundled(program, home) ? bundleOf(program, home) : join(home, program);
}

/** @param {string} program @param {string} [home] */
export function isBundled(program, home = root) {
  return timeOf(bundleOf(program, home)) > compiledAt(home);
}

/** The time of the last compilation, in ms. @param {string} home */
function compiledAt(home) {
  const notes = ["packages", "services"].flatMap((area) =>
    readdirSync(join(home, area)).map((name) => timeOf(join(home, area, name, "dist", ".tsbuildinfo"))),
  );
  return Math.max(...notes);
}

/** The modification time of a file, 0 if there is none. @param {string} path */
const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
