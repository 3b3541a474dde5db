// @ts-check
/**
 * Chooses the user for PostgreSQL, which refuses to run as root. A pure function of facts that `run-as-facts.mjs` collects.
 *
 * Nobody but root changes user, and no user is created: the owner of the cluster that is there, or `postgres`, `nobody`, any other. That
 * user often may not enter our folder (root's home is closed to others). The cluster stays there all the same: a process keeps the folder that it was
 * started in, even if the path to it is closed, and reaches it as `/proc/self/cwd`. Programs cannot be started that way (PostgreSQL resolves its own path and
 * asks `access(2)`, which no capability helps over), so they are copied to where the user can read them.
 *
 * If we may not change the user (root of a user namespace that has no other user), another user namespace shows our own files as those of
 * an ordinary user.
 */

/** @typedef {{ name: string, uid: number, gid: number }} User */

/**
 * @typedef {object} Facts
 * @property {number | undefined} uid our own; undefined if the system has none (Windows)
 * @property {boolean} isNamed whether our uid has a name, without which no cluster can be created
 * @property {{ uid: number, gid: number } | undefined} clusterOwner undefined: there is no cluster yet
 * @property {User | undefined} other the user that root can run PostgreSQL as
 * @property {boolean} canBecome whether we may start programs as `other` and give them files
 * @property {boolean} reachesPrograms whether `other` can run PostgreSQL where it is installed
 * @property {string | undefined} copyPlace a folder for copies that `other` can run
 * @property {boolean} reachesFolder whether `other` may enter the folder that holds the cluster
 * @property {boolean} worksInside whether a folder can be used by `/proc/self/cwd`
 * @property {User | undefined} shownAs the user that a user namespace can show us as
 */

/**
 * @typedef {{ as: "ourselves" }
 *   | { as: "other", user: User, copyTo: string | undefined, inside: boolean }
 *   | { as: "shown", user: User }
 *   | { as: "nobody", why: string }} Plan
 */

const instead = "start as an ordinary user, or set DATABASE_URL";

/**
 * @param {Facts} facts
 * @param {string} dir the cluster's folder, for messages
 * @returns {Plan} `nobody`: PostgreSQL cannot run, for the reason that `why` tells the user in one line
 */
export function planUser(facts, dir) {
  if (facts.uid === undefined) return { as: "ourselves" };
  return facts.uid === 0 ? planForRoot(facts, dir) : planForUser(facts, facts.uid, dir);
}

/** @param {Facts} facts @param {number} uid @param {string} dir @returns {Plan} */
function planForUser({ clusterOwner, isNamed, shownAs }, uid, dir) {
  if (clusterOwner !== undefined && clusterOwner.uid !== uid)
    return {
      as: "nobody",
      why: `${dir} belongs to another user (uid ${clusterOwner.uid}, this is ${uid}): start as that user, or choose another folder with DATA_DIR.`,
    };
  if (clusterOwner !== undefined || isNamed) return { as: "ourselves" };
  if (shownAs !== undefined) return { as: "shown", user: shownAs };
  return {
    as: "nobody",
    why: `PostgreSQL makes no database for a user without a name (uid ${uid} is not in /etc/passwd): start as another user, or set DATABASE_URL.`,
  };
}

/** @param {Facts} facts @param {string} dir @returns {Plan} */
function planForRoot(facts, dir) {
  const { other, canBecome, reachesPrograms, copyPlace, reachesFolder, worksInside, clusterOwner, shownAs } = facts;
  const hasPrograms = reachesPrograms || copyPlace !== undefined;
  const hasFolder = reachesFolder || worksInside;
  if (other !== undefined && canBecome && hasPrograms && hasFolder)
    return { as: "other", user: other, copyTo: reachesPrograms ? undefined : copyPlace, inside: !reachesFolder };
  if (shownAs !== undefined && (clusterOwner === undefined || clusterOwner.uid === 0))
    return { as: "shown", user: shownAs };

  const why = (/** @type {string} */ reason) => /** @type {Plan} */ ({ as: "nobody", why: reason });
  if (other === undefined)
    return why(`PostgreSQL does not run as root, and /etc/passwd names no other user: add one (nobody), ${instead}.`);
  if (!canBecome)
    return why(
      `PostgreSQL does not run as root, and this root may not start programs or give files to ${other.name} (uid ${other.uid}): ${instead}.`,
    );
  if (!hasFolder)
    return why(
      `PostgreSQL does not run as root, and ${other.name} (uid ${other.uid}) may not enter the folder of ${dir}: choose another one with DATA_DIR, ${instead}.`,
    );
  return why(
    `PostgreSQL does not run as root, and no folder was found from which ${other.name} (uid ${other.uid}) may run it: move this checkout to where every user may enter, ${instead}.`,
  );
}

/**
 * Returns what to pass to `spawn` so that a program runs according to the plan, in the cluster's folder.
 * @param {Plan} plan
 * @param {string} dir the cluster's folder
 * @returns {{ folder: string, how: (command: string, args: string[]) => { command: string, args: string[], options: { cwd: string, uid?: number, gid?: number } } }}
 *   `folder`: the path by which the program has to name `dir`
 */
export function runBy(plan, dir) {
  if (plan.as === "other") {
    const { uid, gid } = plan.user;
    return {
      // Exactly this path, and none below it: PostgreSQL changes into its folder and then uses the same path again.
      folder: plan.inside ? "/proc/self/cwd" : dir,
      // spawn enters the folder before it changes the user.
      how: (command, args) => ({ command, args, options: { cwd: dir, uid, gid } }),
    };
  }
  if (plan.as === "shown") {
    const identity = ["--user", `--map-user=${plan.user.uid}`, `--map-group=${plan.user.gid}`, "--"];
    return {
      folder: dir,
      how: (command, args) => ({ command: "unshare", args: [...identity, command, ...args], options: { cwd: dir } }),
    };
  }
  return { folder: dir, how: (command, args) => ({ command, args, options: { cwd: dir } }) };
}
