// @ts-check
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./bootstrap/project.mjs";
import { ensureBuilt } from "./ensure-built.mjs";
import { StartError } from "./stack/start-error.mjs";

/**
 * Builds what is needed and runs the program of a folder that the command line names, with the arguments after the name; without a name it
 * lists the programs with the first line of their comments.
 * @param {{ folder: string, word: string, title: string }} kind folder in the checkout; `word`: what one of them is called
 */
export async function runNamed({ folder: relative, word, title }) {
  const folder = join(root, relative);
  const [name, ...args] = process.argv.slice(2);
  const program = name === undefined ? undefined : programOf(folder, name);
  if (program === undefined) {
    if (name !== undefined) process.stderr.write(`There is no ${word} "${name}".\n`);
    process.stdout.write(
      `${title} (npm run ${word} -- <name>):\n${names(folder)
        .map((one) => `  ${one.padEnd(16)} ${purposeOf(folder, one)}`)
        .join("\n")}\n`,
    );
    process.exitCode = name === undefined ? 0 : 1;
    return;
  }
  try {
    await ensureBuilt((line) => process.stderr.write(`${line}\n`));
    process.argv.splice(1, process.argv.length, program, ...args);
    await import(pathToFileURL(program).href);
  } catch (error) {
    if (!(error instanceof StartError) && !isWrongOption(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    if (!(error instanceof StartError)) process.stderr.write(`npm run ${word} -- ${name} --help says what there is.\n`);
    process.exitCode = 1;
  }
}

/** Whether an error comes from Node's `parseArgs`. @param {unknown} error @returns {error is Error} */
function isWrongOption(error) {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

/** @param {string} folder @param {string} one */
function programOf(folder, one) {
  if (!/^[\w-]+$/.test(one)) return undefined;
  return [join(folder, `${one}.mjs`), join(folder, one, "main.mjs")].find((path) => existsSync(path));
}

/** @param {string} folder */
function names(folder) {
  return readdirSync(folder)
    .map((entry) => entry.replace(/\.mjs$/, ""))
    .filter((one) => programOf(folder, one) !== undefined)
    .toSorted();
}

/** The first comment line of a program. @param {string} folder @param {string} one */
function purposeOf(folder, one) {
  const path = programOf(folder, one);
  const lines = path === undefined ? [] : readFileSync(path, "utf8").split("\n");
  const comment = lines
    .map((line) => /^\s*(?:\/\/|\/\*\*?|\*)\s*(.*?)\s*(?:\*\/)?$/.exec(line)?.[1] ?? "")
    .find((text) => text !== "" && !text.startsWith("@ts-"));
  return comment ?? "";
}
