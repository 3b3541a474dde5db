import { execFile } from "node:child_process";
import { chmod, lstat, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "./browser-folder.js";

/** A Chrome or Chromium program, and the environment variables that it needs beside ours. */
export interface ChromiumProgram {
  executablePath: string;
  env: Record<string, string>;
}

/**
 * The user that Chromium runs as where we are root: one that nothing else on the machine uses, so that it can read neither
 * our memory and environment, with their keys and passwords, nor our files. Below 65,536, which containers map, and
 * outside of the ranges that distributions assign.
 */
export const browserUid = 61_999;

/** A program that switches to the other user before it starts Chromium; it exists until it is removed. */
export interface OtherUser {
  executablePath: string;
  remove(): Promise<void>;
}

const setpriv = ["setpriv", `--reuid=${browserUid}`, `--regid=${browserUid}`, "--clear-groups", "--"];

/**
 * Makes a program that starts Chromium as another user.
 * @param ownFolder where it is made
 * @returns `reason`, the end of a sentence, where that does not work here
 */
export async function asOtherUser(
  { executablePath, env }: ChromiumProgram,
  ownFolder: string,
): Promise<OtherUser | { reason: string }> {
  const places = [executablePath, ...Object.values(env).filter((value) => value.startsWith("/")), temporaryFolder];
  for (const place of places) {
    const closed = await firstClosed(place);
    if (closed !== null) return { reason: `the user that it would run as (uid ${browserUid}) may not enter ${closed}` };
  }
  try {
    const [command, ...args] = [...setpriv, executablePath, "--version"];
    await promisify(execFile)(command, args, {
      env: { ...env, HOME: "/", PATH: process.env["PATH"] },
      timeout: 20_000,
    });
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const words = error instanceof Error ? (error.message.split("\n").findLast((line) => line !== "") ?? "") : "";
    return {
      reason: isMissing
        ? "the program setpriv, which it needs to run as another user than root, is missing"
        : `it does not start as another user than root (${words})`,
    };
  }
  const folder = await mkdtemp(join(ownFolder, "start-"));
  const path = join(folder, "chromium");
  await chmod(folder, 0o711);
  await writeFile(path, script(executablePath), { mode: 0o755 });
  return { executablePath: path, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * The shell script that starts Chromium: the profile directory, which was made for us, becomes the other user's, and its home.
 */
function script(executablePath: string): string {
  return `#!/bin/sh
set -e
for word in "$@"; do
  case $word in
    --user-data-dir=*) HOME=\${word#--user-data-dir=} ;;
  esac
done
chown -R ${browserUid}:${browserUid} "$HOME"
TMPDIR=$HOME
# a socket is made in it, whose path may have 108 characters; the name adds 45
if [ \${#HOME} -gt 60 ]; then cd "$HOME"; TMPDIR=/proc/self/cwd; fi
export HOME TMPDIR
unset XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME
exec ${setpriv.join(" ")} ${quote(executablePath)} "$@"
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns the first folder on the path, or the file itself, that others than its owner and group may not enter or read;
 * null where there is none.
 */
export async function firstClosed(path: string): Promise<string | null> {
  const steps: string[] = [];
  for (let step = resolve(path); ; step = dirname(step)) {
    steps.unshift(step);
    if (step === dirname(step)) break;
  }
  for (const step of steps) {
    const found = await stat(step).catch(() => null);
    if (found === null) return null;
    const bits = found.isDirectory() ? 0o001 : 0o004;
    if ((found.mode & bits) === 0) return step;
  }
  return null;
}

/** Lets other users read and run what root unpacked for itself alone; only root can still change it. */
export async function openToReaders(folder: string): Promise<void> {
  for (const { name } of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, name);
    const found = await lstat(path);
    if (found.isSymbolicLink()) continue;
    const wanted = found.mode | 0o444 | (found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o111 : 0);
    if (wanted !== found.mode) await chmod(path, wanted & 0o7777);
    if (found.isDirectory()) await openToReaders(path);
  }
  await chmod(folder, 0o755);
}
