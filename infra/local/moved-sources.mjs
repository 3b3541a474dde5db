// @ts-check
import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bootstrap/project.mjs";

/**
 * Dates sources anew that came to their place after the last build with a time from before it, as files do that are moved or copied with
 * their times: the compiler compares these times alone, and would leave such files as they were.
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
