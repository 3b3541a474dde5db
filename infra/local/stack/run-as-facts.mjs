// @ts-check
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { planUser } from "./run-as.mjs";

/** @typedef {import("./run-as.mjs").User} User */

/** Folders for programs that another user has to run. Nobody clears the first two, unlike the temporary folder, which is the last resort. */
const copyPlaces = () => ["/var/cache/web-tester", "/var/lib/web-tester", join(tmpdir(), "web-tester-postgres")];

/**
 * Collects the facts that decide which user PostgreSQL runs as, by trying rather than by reading modes: access lists, namespaces, odd file
 * systems and missing capabilities all matter. When an ordinary user starts the product, none of this is tried.
 * @param {{ dir: string, program: string, reads: string[] }} places `dir`: the cluster's folder, whose parent exists; `program`: PostgreSQL's; `reads`: its
 *   files that must be readable
 * @returns {import("./run-as.mjs").Facts}
 */
export function factsFor({ dir, program, reads }) {
  const uid = process.getuid?.();
  const clusterOwner = ownerOf(dir);
  /** @type {import("./run-as.mjs").Facts} */
  const facts = {
    uid,
    isNamed: isNamed(),
    clusterOwner,
    other: undefined,
    canBecome: false,
    reachesPrograms: false,
    copyPlace: undefined,
    reachesFolder: false,
    worksInside: false,
    shownAs: undefined,
  };
  const users = otherUsers();
  if (uid === 0) {
    const owner = clusterOwner === undefined || clusterOwner.uid === 0 ? undefined : clusterOwner;
    const other =
      owner === undefined
        ? users[0]
        : (users.find((user) => user.uid === owner.uid) ?? { ...owner, name: "its owner" });
    if (other !== undefined) Object.assign(facts, { other, ...factsOf(other, { dir, program, reads }) });
  }
  // tried last, because most systems do not need it
  const isStuck = planUser(facts, dir).as === "nobody";
  return isStuck ? { ...facts, shownAs: users.slice(0, 1).find(canBeShownAs) } : facts;
}

/** @param {User} user @param {{ dir: string, program: string, reads: string[] }} places */
function factsOf(user, { dir, program, reads }) {
  const inside = tryInside(user, dirname(dir));
  if (!inside.canBecome) return inside;
  const reachesPrograms = asUser(user, [program, "--version"]) && asUser(user, readable(reads));
  return {
    ...inside,
    reachesFolder: asUser(user, ["/bin/sh", "-c", 'cd -- "$1"', "sh", dirname(dir)]),
    reachesPrograms,
    copyPlace: reachesPrograms ? undefined : copyPlaces().find((place) => canRunFrom(user, place)),
  };
}

/** @param {string[]} files */
const readable = (files) => ["/bin/sh", "-c", 'for file; do test -r "$file" || exit 1; done', "sh", ...files];

/** Creates a folder, gives it to a user and tries to write in it as that user, as PostgreSQL would. */
/** @param {User} user @param {string} parent */
function tryInside(user, parent) {
  const folder = mkdtempSync(join(parent, ".try-"));
  try {
    chownSync(folder, user.uid, user.gid);
    const isGiven = statSync(folder).uid === user.uid;
    return {
      canBecome: isGiven && asUser(user, ["/bin/sh", "-c", ":"]),
      worksInside: asUser(user, ["/bin/sh", "-c", ": >/proc/self/cwd/file"], folder),
    };
  } catch {
    return { canBecome: false, worksInside: false };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {User} user @param {string[]} command @param {string} [cwd] */
function asUser({ uid, gid }, [command = "", ...args], cwd = "/") {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  return spawnSync(command, args, { uid, gid, cwd, env, stdio: "ignore", timeout: 5_000 }).status === 0;
}

/** Only a folder that belongs to root and that others cannot write in will do: others could replace a program in it. */
/** @param {User} user @param {string} place */
function canRunFrom(user, place) {
  const program = join(place, `try-${process.pid}`);
  try {
    mkdirSync(place, { mode: 0o755 });
    chmodSync(place, 0o755);
  } catch {
    // the folder exists already, or cannot be created: the checks below tell
  }
  try {
    const found = lstatSync(place);
    if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) return false;
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    return asUser(user, [program]);
  } catch {
    return false;
  } finally {
    rmSync(program, { force: true });
  }
}

/** @param {User} user */
function canBeShownAs({ uid, gid }) {
  const args = ["--user", `--map-user=${uid}`, `--map-group=${gid}`, "--", "/bin/sh", "-c", `test "$(id -u)" = ${uid}`];
  return spawnSync("unshare", args, { stdio: "ignore", timeout: 5_000 }).status === 0;
}

/** @param {string} path */
function ownerOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : { uid: found.uid, gid: found.gid };
}

/** Users of this machine other than root, the most suitable ones first. */
/** @returns {User[]} */
function otherUsers() {
  const users = passwordFile()
    .split("\n")
    .flatMap((line) => {
      const [name = "", , uid, gid] = line.split(":");
      return /^\d+$/.test(uid ?? "") && /^\d+$/.test(gid ?? "") ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
    })
    .filter((user) => user.uid !== 0);
  const rank = (/** @type {User} */ { name }) => (["postgres", "nobody"].indexOf(name) + 3) % 3;
  return users.toSorted((a, b) => rank(a) - rank(b));
}

function passwordFile() {
  try {
    return readFileSync("/etc/passwd", "utf8");
  } catch {
    return "";
  }
}

function isNamed() {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}
