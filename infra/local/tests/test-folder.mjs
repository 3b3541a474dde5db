// @ts-check
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ramDisk = "/dev/shm";
/** Unlike that of earlier versions, which take any number behind theirs for a pid. */
const prefix = "web-tester-tests.";
/** What all tests keep at once is a tenth of this. */
const roomBytes = 8 * 1024 ** 3;

/**
 * A folder of their own for the tests' files, in memory where there is plenty: they make and remove hundreds of thousands of
 * files, and for minutes after a removal ext4 looks at the place of every removed file whenever one is made (up to 1 ms of processor
 * time). A `TMPDIR` that somebody set is kept to.
 * @returns {{ path: string, remove: () => void }}
 */
export function openTestFolder() {
  const parent = process.env["TMPDIR"] === undefined && isRoomy() ? ramDisk : tmpdir();
  if (parent === ramDisk) removeLeftovers();
  const path = mkdtempSync(join(parent, `${prefix}${pidSpace()}-${process.pid}-`));
  // PostgreSQL runs as another user where we are root
  chmodSync(path, 0o711);
  return { path, remove: () => removeWithMounts(path) };
}

/** Whether there is a disk in memory with room, from which programs may be started. */
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

/** Of our runs that were killed: nobody else empties a disk in memory. */
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

/** Tests of full disks mount small ones, which outlive a killed run. What cannot be removed stays: it stands in no test's way. @param {string} path */
function removeWithMounts(path) {
  try {
    for (const mounted of mountsBelow(path)) execFileSync("umount", [mounted], { stdio: "ignore" });
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    process.stdout.write(`${path}, which tests left, could not be removed: ${String(error)}\n`);
  }
}

/** Innermost first. @param {string} path */
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

/** Containers may share the memory disk, and each counts its processes by itself: a pid tells nothing about another one's. */
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
