import { readFileSync, readlinkSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The temporary folder of this process. `tmpdir` itself must not be asked during a launch, see `withTemporaryFolder`. */
export const temporaryFolder = tmpdir();

/** A folder of a process in another container, about which nobody can say whether it lives, is left alone for so long. */
const strangerMs = 7 * 86_400_000;
const prefix = "browser-";
let sweeping: Promise<void> | undefined;

/**
 * Returns our own folder inside the temporary one. A folder that others own or may write to is refused: it may not contain
 * what we unpacked.
 */
export async function ownFolder(): Promise<string> {
  const path = join(temporaryFolder, `web-tester-${process.getuid?.() ?? 0}`);
  await mkdir(path, { mode: 0o755 }).catch(() => undefined);
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid) || (found.mode & 0o022) !== 0)
    throw new Error(`${path} belongs to another user, or others may write there`);
  return path;
}

/**
 * Returns the folder for what browsers of this process write: profiles, sockets, downloads. Those of processes that were
 * killed, and could remove nothing, are removed first. @param parent another one only in tests
 */
export async function browserFolder(parent = ownFolder()): Promise<string> {
  const all = await parent;
  await (sweeping ??= sweep(all));
  const path = join(all, `${prefix}${nameOf(process.pid)}`);
  await mkdir(path, { recursive: true });
  // the browser may run as another user, who must come to its profile, and needs to list nothing
  await chmod(path, 0o711);
  return path;
}

/** Removes the folders of processes that do not live any more. */
export async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (name.startsWith(prefix) && (await isLeft(name.slice(prefix.length), path)))
      // its browser may still be ending: then the next process removes the rest
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isLeft(owner: string, path: string): Promise<boolean> {
  const [space, pid] = owner.split("-");
  if (space === pidSpace()) return owner !== nameOf(Number(pid));
  const found = await lstat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > strangerMs;
}

/** Names a process so that no other has this name: a pid alone is used again, and each container counts its own. */
function nameOf(pid: number): string {
  return `${pidSpace()}-${pid}-${birthOf(pid) ?? "none"}`;
}

function pidSpace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

/** Returns when a process began, in clock ticks since the start of the system; null where it does not live. @see proc_pid_stat(5) */
function birthOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? null : (fields[18] ?? null);
  } catch {
    return process.platform === "linux" ? null : birthElsewhere(pid);
  }
}

/** Where the system does not tell when a process began, it only counts whether it lives. */
function birthElsewhere(pid: number): string | null {
  try {
    process.kill(pid, 0);
    return "lives";
  } catch {
    return null;
  }
}

/**
 * Starts something that makes its files in the temporary folder of this process, as Playwright does with profiles, whose place
 * cannot be chosen in any other way: meanwhile that folder is another one.
 */
export async function withTemporaryFolder<Result>(folder: string, start: () => Promise<Result>): Promise<Result> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    return await start();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
