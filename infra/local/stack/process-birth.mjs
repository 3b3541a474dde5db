// @ts-check
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Returns when a running process was started, as text that differs from that of earlier processes with its pid: a pid alone is reused after
 * its process has died, and every container starts counting at 1.
 * @param {number} pid
 * @returns {string | undefined} undefined: no such process (or only its zombie is left)
 */
export function birthOf(pid) {
  return process.platform === "linux" ? birthOnLinux(pid) : birthByPs(pid);
}

/**
 * Whether the process that was recorded as (`pid`, `birth`) still runs.
 * @param {number} pid
 * @param {string} birth
 */
export function isStillRunning(pid, birth) {
  return birthOf(pid) === birth;
}

/** Source: proc(5): field 3 is the state, field 22 the start in clock ticks since boot; field 2 may hold any character. */
/** @param {number} pid */
function birthOnLinux(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    return `${bootId()}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** @type {string | undefined} */
let knownBootId;
function bootId() {
  knownBootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  return knownBootId;
}

/** @param {number} pid */
function birthByPs(pid) {
  try {
    const started = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return started.trim() || undefined;
  } catch {
    return undefined;
  }
}
