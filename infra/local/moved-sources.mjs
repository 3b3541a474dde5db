// @ts-check
import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bootstrap/project.mjs";

/**
 * Touches sources that appeared after the last build with an older modification time, as moved files and copies that keep their times do:
 * the compiler compares modification times only, and would not compile such files.
 * @param {string} [home] the checkout
 * @returns {string[]} what was dated, as paths in the checkout
 */
export function dateMovedSources(home = root) {
  return ["packages", "services"].flatMap((area) =>
    readdirSync(join(home, area)).flatMap((name) => dateOf(home, join(area, name))),
  );
}

/** @param {string} home @param {string} workspace */
function dateOf(home, workspace) {
  const built = join(home, workspace, "dist/.tsbuildinfo");
  if (!existsSync(built)) return [];
  const builtMs = statSync(built).mtimeMs;
  const moved = readdirSync(join(home, workspace, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => join(workspace, "src", path))
    .filter((path) => {
      const file = statSync(join(home, path));
      return file.isFile() && file.ctimeMs > builtMs && file.mtimeMs <= builtMs;
    });
  const now = new Date();
  for (const path of moved) utimesSync(join(home, path), now, now);
  return moved;
}
