// @ts-check
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { StartError } from "./start-error.mjs";

/**
 * @typedef {object} RunAs
 * @property {{ uid: number, gid: number } | undefined} owner who must own the files; undefined: ourselves
 * @property {(command: string, args: string[]) => { command: string, args: string[], options: { uid?: number, gid?: number } }} how
 *   what to give to `spawn`
 */

/**
 * How to run a program that refuses to run as root (Postgres). Nobody but root changes user; no user is created: the owner of the
 * data that is there already, `postgres` or `nobody` serves. A checkout or data directory below a closed folder (/root) is out of that user's
 * reach; there `setpriv` leaves the program the one capability to pass closed folders.
 * @param {{ dataDir: string, reach: string[] }} places `dataDir`: its owner is kept where it exists; `reach`: what the program must read
 * @returns {RunAs}
 * @throws {StartError}
 */
export function unprivileged({ dataDir, reach }) {
  const owner = ownerOf(dataDir);
  const own = process.getuid?.();
  if (own !== 0) {
    if (owner !== undefined && own !== undefined && owner.uid !== own) {
      throw new StartError(
        `${dataDir} belongs to another user (uid ${owner.uid}): start as that user, or choose another folder with DATA_DIR.`,
      );
    }
    return { owner: undefined, how: (command, args) => ({ command, args, options: {} }) };
  }
  const user = owner !== undefined && owner.uid !== 0 ? owner : (lookUp("postgres") ?? lookUp("nobody"));
  if (user === undefined) {
    throw new StartError(
      "PostgreSQL does not run as root and there is no user postgres or nobody: start as an ordinary user, or set DATABASE_URL.",
    );
  }
  const closed = [...reach, dirname(dataDir)].map(firstClosedFolder(user)).find((folder) => folder !== undefined);
  if (closed === undefined) return { owner: user, how: (command, args) => ({ command, args, options: user }) };
  const identity = [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    "--clear-groups",
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
    "--",
  ];
  if (!works("setpriv", [...identity, "true"])) {
    throw new StartError(
      `PostgreSQL does not run as root, and the user it runs as (uid ${user.uid}) may not enter ${closed}: start as an ordinary user, move the folder, or set DATABASE_URL.`,
    );
  }
  return {
    owner: user,
    how: (command, args) => ({ command: "setpriv", args: [...identity, command, ...args], options: {} }),
  };
}

/** @param {string} path */
function ownerOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? undefined : { uid: stat.uid, gid: stat.gid };
}

/** @param {string} name */
function lookUp(name) {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/**
 * The outermost folder on the way to a path that the user may not pass. Access lists are not looked at.
 * @param {{ uid: number, gid: number }} user
 */
const firstClosedFolder = (user) => (/** @type {string} */ path) => {
  /** @type {string[]} */
  const folders = [];
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  return folders.find((folder) => {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isDirectory()) return false;
    const bits = stat.uid === user.uid ? 0o100 : stat.gid === user.gid ? 0o010 : 0o001;
    return (stat.mode & bits) === 0;
  });
};

/** @param {string} command @param {string[]} args */
function works(command, args) {
  try {
    execFileSync(command, args, { stdio: "ignore", timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}
