import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { root } from "./services.ts";

/** The revision that is used if there are no tags: old enough to differ. */
const usualRevision = "HEAD~20";

/**
 * Provides a built checkout of an older version.
 * @param old a built checkout, or a revision, which is checked out below `folder` and built there; default: the newest tag, else `HEAD~20`
 * @returns its folder; undefined, after `say` told the reason, if it could not be built
 */
export function openOldVersion(
  old: string | undefined,
  folder: string,
  say: (line: string) => void,
): string | undefined {
  if (old !== undefined && existsSync(join(resolve(old), "services/gateway/dist/main.js"))) return resolve(old);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const home = join(folder, "old-version");
  try {
    const revision = git("rev-parse", "--verify", `${old ?? newestTag(git) ?? usualRevision}^{commit}`);
    mkdirSync(home);
    // an archive rather than a git worktree, which would have to be removed from the repository again
    execFileSync("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", revision, home], {
      cwd: root,
      stdio: "ignore",
    });
    say(`Building ${revision.slice(0, 9)} as the older version …`);
    linkPackages(home);
    execFileSync(process.execPath, [join(root, "node_modules/@typescript/native/bin/tsc"), "-b"], {
      cwd: home,
      stdio: "ignore",
    });
    return home;
  } catch (error) {
    say(`No older version could be built: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
    return undefined;
  }
}

function newestTag(git: (...args: string[]) => string): string | undefined {
  try {
    return git("describe", "--tags", "--abbrev=0");
  } catch {
    return undefined;
  }
}

/** Links the npm packages of this checkout, and the product's own packages of the older one, into its node_modules. */
function linkPackages(home: string): void {
  for (const folder of ["", ...workspaces(home)]) {
    const from = join(root, folder, "node_modules");
    if (!existsSync(from)) continue;
    const to = join(home, folder, "node_modules");
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) {
      if (name === "@web-tester" || name.startsWith(".")) continue;
      symlinkSync(join(from, name), join(to, name));
    }
  }
  const own = join(home, "node_modules/@web-tester");
  mkdirSync(own, { recursive: true });
  for (const folder of workspaces(home)) symlinkSync(join(home, folder), join(own, folder.split("/")[1] ?? folder));
}

const workspaces = (home: string) =>
  ["packages", "services"].flatMap((area) => readdirSync(join(home, area)).map((name) => `${area}/${name}`));
