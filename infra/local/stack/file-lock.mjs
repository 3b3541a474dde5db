// @ts-check
import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { birthOf, isStillRunning } from "./process-birth.mjs";
import { codeOf } from "./start-error.mjs";

/**
 * Takes a lock file, which names its holder by pid and birth; a lock whose holder is gone is replaced. The file appears complete (as a hard
 * link to a finished file), so nobody reads a partial one.
 * @param {string} path
 * @returns {Promise<{ unlock: () => Promise<void> } | { holder: number }>} `holder`: pid of the process that has it
 */
export async function takeLock(path) {
  const mine = JSON.stringify({
    pid: process.pid,
    birth: birthOf(process.pid) ?? "",
    token: randomBytes(8).toString("hex"),
  });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    for (;;) {
      if (await linkIfFree(draft, path)) return { unlock: () => release(path, mine) };
      const theirs = await readIfThere(path);
      if (theirs === undefined) continue;
      const holder = livingHolder(theirs);
      if (holder !== undefined) return { holder };
      if (await replaceDead(path, theirs, draft)) return { unlock: () => release(path, mine) };
      await sleep(2);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Replaces a dead lock by ours. Only one process at a time may do so: if two had both seen the dead lock, the slower one would replace the
 * lock of the faster. The lock file exists all the time, so nobody takes it in the ordinary way.
 * @param {string} path
 * @param {string} dead content
 * @param {string} draft
 */
async function replaceDead(path, dead, draft) {
  const turn = `${path}.turn`;
  if (!(await linkIfFree(draft, turn))) {
    const other = await readIfThere(turn);
    if (other !== undefined && livingHolder(other) === undefined) await rm(turn, { force: true });
    return false;
  }
  try {
    if ((await readIfThere(path)) !== dead) return false;
    await rename(draft, path);
    return true;
  } finally {
    await rm(turn, { force: true });
  }
}

/** @param {string} draft @param {string} path @returns {Promise<boolean>} false: something is there already */
async function linkIfFree(draft, path) {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** @param {string} path @param {string} mine */
async function release(path, mine) {
  if ((await readIfThere(path)) === mine) await rm(path, { force: true });
}

/** @param {string} path */
async function readIfThere(path) {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** @param {string} text @returns {number | undefined} its pid; undefined: gone, or not readable */
function livingHolder(text) {
  try {
    const { pid, birth } = JSON.parse(text);
    return typeof pid === "number" && typeof birth === "string" && isStillRunning(pid, birth) ? pid : undefined;
  } catch {
    return undefined;
  }
}
