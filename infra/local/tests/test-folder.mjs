// @ts-check
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ramDisk = "/dev/shm";
/** Differs from the prefix of earlier versions, which take any number after theirs for a pid. */
const prefix = "web-tester-tests.";
/** Free bytes that are required; all tests together use a tenth of them. */
const roomBytes = 8 * 1024 ** 3;

/**
 * A temporary folder for the tests, in memory if there is plenty: they create and remove hundreds of thousands of
 * files, and for minutes after a removal ext4 visits every freed inode whenever a file is created (up to 1 ms of processor
 * time). A `TMPDIR` that is set is respected.
 * @returns {{ path: string, remove: () => void }}
 */
export function openTestFolder() {
  const parent = process.env["TMPDIR"] === undefined && isRoomy() ? ramDisk : tmpdir();
  if (parent === ramDisk) removeLeftovers();
  const path = mkdtempSync(join(parent, `${prefix}${pidSpace()}-${process.pid}-`));
  // PostgreSQL runs as another user if we are root
  chmodSync(path, 0o711);
  return { path, remove: () => removeWithMounts(path) };
}

/** Whether there is a RAM disk with enough space, from which programs may be started. */
function isRoomy() {
  try {
    const [, , type, options = ""] =
      readFileSync("/proc/mounts", "utf8")
        .split("\n")
        .map((line) => line.split(" "))
        .findLast(([, place]) => place === ramDisk) ?? [];
    if (type !== "tmpfs" || options.split(",").some((option) => option === "noexec" || option === "ro")) return false;
    const { bavail, bsize } = statfsSync(ramDisk);
    return Math.min(bavail * bsize, process.availableMemory()) >= roomBytes;
  } catch {
    return false;
  }
}

/** Removes the folders of our runs that were killed: nobody else empties a disk in memory. */
function removeLeftovers() {
  const ours = `${prefix}${pidSpace()}-`;
  for (const name of readdirSync(ramDisk)) {
    const pid = name.startsWith(ours) ? /^\d+/.exec(name.slice(ours.length))?.[0] : undefined;
    const path = join(ramDisk, name);
    if (pid === undefined || isRunning(Number(pid))) continue;
    if (statSync(path, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue;
    removeWithMounts(path);
  }
}

/** Unmounts the small disks that tests of full disks mount and that outlive a killed run. What cannot be removed is left; it disturbs no test. @param {string} path */
function removeWithMounts(path) {
  try {
    for (const mounted of mountsBelow(path)) execFileSync("umount", [mounted], { stdio: "ignore" });
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    process.stdout.write(`${path}, which tests left, could not be removed: ${String(error)}\n`);
  }
}

/** The mount points below a folder, innermost first. @param {string} path */
function mountsBelow(path) {
  try {
    return readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .flatMap((line) => line.split(" ")[1] ?? [])
      .filter((place) => place.startsWith(`${path}/`))
      .toReversed();
  } catch {
    return []; // not Linux
  }
}

/** Names the pid namespace: containers may share the memory disk, and a pid of one means nothing in another. */
function pidSpace() {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
