// @ts-check
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bootstrap/project.mjs";

/** Matches a file that the compiler writes; its group is the path without extension, which the source has in common. */
const compiled = /^(.+?)(?:\.d\.ts|\.js|\.js\.map)$/;

/**
 * Removes compiled files whose sources are gone: the compiler leaves them, and migrations are found by listing their folder.
 * @param {string} [home] the checkout
 * @returns {string[]} what was removed, as paths in the checkout
 */
export function removeLeftovers(home = root) {
  return ["packages", "services"].flatMap((area) =>
    readdirSync(join(home, area)).flatMap((name) => removeOf(home, join(area, name))),
  );
}

/** @param {string} home @param {string} workspace */
function removeOf(home, workspace) {
  const outputs = join(workspace, "dist");
  if (!existsSync(join(home, outputs))) return [];
  const leftovers = readdirSync(join(home, outputs), { recursive: true, encoding: "utf8" }).filter((path) => {
    const source = isBundle.test(path) ? undefined : compiled.exec(path)?.[1];
    return source !== undefined && !existsSync(join(home, workspace, "src", `${source}.ts`));
  });
  for (const path of leftovers) rmSync(join(home, outputs, path), { force: true });
  return leftovers.map((path) => join(outputs, path));
}

/** Bundles are made of compiled files and have no source of their own. */
const isBundle = /(?:^|[\\/])bundle[\\/]/;
