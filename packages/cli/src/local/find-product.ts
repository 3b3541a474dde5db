import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CannotRun } from "../client.js";

const starter = join("infra", "local", "start.mjs");

/**
 * Finds the folder of the product that `--local` runs: a checkout, or the installed package `web-tester`.
 * @param home the folder that the user names, if any
 * @param from folders from which the search goes upwards
 * @throws CannotRun when there is none
 */
export async function findProduct(home: string | undefined, from: readonly string[]): Promise<string> {
  if (home !== undefined) {
    if (await isProduct(resolve(home))) return resolve(home);
    throw new CannotRun(`There is no product in ${resolve(home)}, which WEB_TESTER_HOME names.`);
  }
  for (const start of from)
    for (const folder of foldersAbove(resolve(start)))
      for (const candidate of [folder, join(folder, "node_modules", "web-tester")])
        if (await isProduct(candidate)) return candidate;
  throw new CannotRun(
    "--local needs the product on this machine: its checkout (name it by WEB_TESTER_HOME), or the package web-tester beside this one. Or ask a server: WEB_TESTER_URL.",
  );
}

async function isProduct(folder: string): Promise<boolean> {
  if (!existsSync(join(folder, starter))) return false;
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "");
  return /"name":\s*"web-tester"/.test(text);
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

/** Returns the program that starts the product. */
export const starterOf = (product: string): string => join(product, starter);
