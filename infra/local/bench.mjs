// @ts-check
/** Command `npm run bench [-- <name> [argument …]]`: builds and runs a program of benches/; without a name it lists them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./bootstrap/project.mjs";
import { ensureBuilt } from "./ensure-built.mjs";
import { StartError } from "./stack/start-error.mjs";

const folder = join(root, "benches");
const [name, ...args] = process.argv.slice(2);
const program = name === undefined ? undefined : programOf(name);

if (program === undefined) {
  if (name !== undefined) process.stderr.write(`There is no bench "${name}".\n`);
  process.stdout.write(
    `Benches (npm run bench -- <name>):\n${names()
      .map((one) => `  ${one.padEnd(16)} ${purposeOf(one)}`)
      .join("\n")}\n`,
  );
  process.exitCode = name === undefined ? 0 : 1;
} else {
  try {
    await ensureBuilt((line) => process.stderr.write(`${line}\n`));
    process.argv.splice(1, process.argv.length, program, ...args);
    await import(pathToFileURL(program).href);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** @param {string} one */
function programOf(one) {
  if (!/^[\w-]+$/.test(one)) return undefined;
  return [join(folder, `${one}.mjs`), join(folder, one, "main.mjs")].find((path) => existsSync(path));
}

function names() {
  return readdirSync(folder)
    .map((entry) => entry.replace(/\.mjs$/, ""))
    .filter((one) => programOf(one) !== undefined)
    .toSorted();
}

/** The first comment line of a bench. */
/** @param {string} one */
function purposeOf(one) {
  const path = programOf(one);
  const lines = path === undefined ? [] : readFileSync(path, "utf8").split("\n");
  const comment = lines
    .map((line) => /^\s*(?:\/\/|\/\*\*?|\*)\s*(.*?)\s*(?:\*\/)?$/.exec(line)?.[1] ?? "")
    .find((text) => text !== "" && !text.startsWith("@ts-"));
  return comment ?? "";
}
