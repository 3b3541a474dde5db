// @ts-check
import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { birthOf, isStillRunning } from "./process-birth.mjs";
import { codeOf } from "./start-error.mjs";

/**
 * Takes a lock file, which names its holder by pid and birth; one whose holder is gone is set aside. The file appears whole
 * (link of a finished file), so nobody reads half a holder.
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
      try {
        await link(draft, path);
        return { unlock: () => release(path, mine) };
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
      const theirs = await readIfThere(path);
      if (theirs === undefined) continue;
      const holder = holderIn(theirs);
      if (holder !== undefined && isStillRunning(holder.pid, holder.birth)) return { holder: holder.pid };
      await setAside(path, theirs);
    }
  } finally {
    await rm(draft, { force: true });
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

/** Removes a dead holder's lock, unless somebody else has done so and taken the place in between. */
/** @param {string} path @param {string} dead */
async function setAside(path, dead) {
  const aside = `${path}.dead.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, "utf8")) !== dead) await link(aside, path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "EEXIST") throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** @param {string} text @returns {{ pid: number, birth: string } | undefined} */
function holderIn(text) {
  try {
    const { pid, birth } = JSON.parse(text);
    return typeof pid === "number" && typeof birth === "string" ? { pid, birth } : undefined;
  } catch {
    return undefined;
  }
}
