// @ts-check
import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { copyCheckout } from "./checkout.mjs";
import { fetchSample, foundAgain, refusedStart, runTests, start } from "./product.mjs";
import { withAllUsers } from "./namespace.mjs";

/** @typedef {import("./product.mjs").Way} Way */
/** @typedef {import("./product.mjs").Around} Around */
/** @typedef {{ uid: number, gid: number }} User */

/**
 * @typedef {object} Cell
 * @property {string} name
 * @property {() => Promise<string | undefined> | string | undefined} skip returns the reason why this machine cannot do it
 * @property {() => string} [below] returns the folder for the room, closed to other users
 * @property {(around: Around) => Promise<{ start: string, again: string, tests: string, note?: string }>} run
 */

const image = process.env["MATRIX_NODE_IMAGE"] ?? "node:24-bookworm-slim";
const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);
const works = (/** @type {string} */ command, /** @type {string[]} */ ...args) =>
  run(command, args, { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
const needsRoot = () => (isRoot ? undefined : "this program does not run as root");

/** @type {Cell[]} */
export const cells = [
  {
    name: "root below a closed home",
    skip: needsRoot,
    below: homedir,
    run: async (around) => exercise(as(await laidOut(around)), around),
  },
  {
    name: "root below a closed home, user namespaces forbidden",
    skip: async () =>
      needsRoot() ??
      ((await works("unshare", "--user", "true")) ? undefined : "there is no unshare to forbid them with"),
    below: homedir,
    run: async (around) =>
      exercise(
        withAllUsers(as(await laidOut(around)), "echo 0 >/proc/sys/user/max_user_namespaces && ! unshare --user true"),
        around,
      ),
  },
  {
    name: "root that may be no other user",
    skip: async () =>
      (await works("unshare", "--user", "--map-root-user", "true"))
        ? undefined
        : "user namespaces are not allowed here",
    run: async (around) => {
      const way = as(await laidOut(around));
      return exercise((npm, env) => {
        const { command, args, options } = way(npm, env);
        return { command: "unshare", args: ["--user", "--map-root-user", "--", command, ...args], options };
      }, around);
    },
  },
  {
    name: "an ordinary user",
    skip: () => undefined,
    run: async (around) => exercise(as(await laidOut(around, { user: await someUser(0) })), around),
  },
  {
    name: "a path with spaces and umlauts",
    skip: () => undefined,
    run: async (around) =>
      exercise(as(await laidOut(around, { name: "Prüf stand – Größe 1 & 100%", user: await someUser(0) })), around),
  },
  {
    name: "a checkout that cannot be written, DATA_DIR elsewhere",
    skip: needsRoot,
    run: async (around) => {
      const place = await laidOut(around);
      const user = await someUser(0);
      const way = as({ ...place, user });
      const DATA_DIR = join(place.home, "data of mine");
      const said = await refusedStart(
        way,
        {},
        /data directory .* (?:cannot be written|belongs to another user).*DATA_DIR/,
        around.signal,
      );
      const result = await exercise((npm, env) => way(npm, { DATA_DIR, ...env }), around);
      await writeFile(join(place.checkout, "packages", "contracts", "src", "changed.ts"), "");
      const built = await refusedStart(
        way,
        { DATA_DIR },
        /must be built, and the checkout .* cannot be written.*npm run build/,
        around.signal,
      );
      return { ...result, note: `without DATA_DIR: “${said}” · not built: “${built}”` };
    },
  },
  ...["20", "22", "24"].map(nodeCell),
  {
    name: `the image ${image}, as root in /root`,
    skip: async () =>
      (await works("docker", "image", "inspect", image)) ? undefined : `there is no engine with ${image}`,
    run: async (around) => exercise(inContainer(await laidOut(around)), around),
  },
  {
    name: "root below a closed home, without setpriv, unshare, postgres and nobody",
    skip: async () =>
      needsRoot() ?? ((await works("unshare", "--mount", "true")) ? undefined : "no mount can be hidden here"),
    below: homedir,
    run: async (around) => exercise(await bare(await laidOut(around), around.room), around),
  },
  {
    name: "a second start by another user",
    skip: needsRoot,
    run: secondUser,
  },
];

/** @param {string} version @returns {Cell} */
function nodeCell(version) {
  return {
    name: `Node.js ${version} of the machine`,
    skip: () => undefined,
    async run(around) {
      const folder = join(around.room, "node");
      await mkdir(folder);
      const wanted = { private: true, dependencies: { node: version }, allowScripts: { node: true } };
      await writeFile(join(folder, "package.json"), JSON.stringify(wanted));
      await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
      const bin = join(folder, "node_modules", "node", "bin");
      const { stdout } = await run(join(bin, "node"), ["--version"]);
      const place = await laidOut(around, { user: await someUser(0) });
      const way = as({ ...place, path: `${bin}${delimiter}${process.env["PATH"]}` });
      return { ...(await exercise(way, around)), note: stdout.trim() };
    },
  };
}

/**
 * Starts, fetches, stops, starts again, stops, and tests.
 * @param {Way} way
 * @param {Around} around
 */
async function exercise(way, around) {
  const first = await start(way, {}, around);
  let pages = 0;
  try {
    pages = await fetchSample(first.address, around.signal);
  } finally {
    await first.stop();
  }
  const second = await start(way, {}, around);
  let found = 0;
  try {
    found = await foundAgain(second.address, around.signal);
  } finally {
    await second.stop();
  }
  if (found !== pages) throw new Error(`${pages} pages had been fetched, the second start finds ${found}`);
  return {
    start: `${pages} pages (ready after ${first.seconds} s)`,
    again: `${found} pages (${second.seconds} s)`,
    tests: await runTests(way, around),
  };
}

/** @param {Around} around */
async function secondUser(around) {
  const place = await laidOut(around, { user: await someUser(0) });
  const first = as(place);
  const home = join(around.room, "other home");
  const other = await someUser(1);
  await mkdir(home);
  if (other !== undefined) await chown(home, other.uid, other.gid);
  const second = as({ ...place, home, user: other });
  const root = as({ ...place, home, user: undefined });
  const refused = /belongs? to another user|in use by another start/;
  const running = await start(first, {}, around);
  const pages = await fetchSample(running.address, around.signal);
  const while1 = await refusedStart(second, {}, refused, around.signal);
  const while2 = await refusedStart(root, {}, refused, around.signal);
  await running.stop();
  const after1 = await refusedStart(second, {}, refused, around.signal);
  const after2 = await refusedStart(root, {}, refused, around.signal);
  const again = await start(first, {}, around);
  const found = await foundAgain(again.address, around.signal);
  await again.stop();
  if (found !== pages) throw new Error(`${pages} pages had been fetched, the second start finds ${found}`);
  for (const said of [while1, while2, after1, after2]) around.log(said);
  return {
    start: `${pages} pages`,
    again: `${found} pages`,
    tests: "",
    note: `refused, while it runs and later: “${after1}” · root: “${after2}”`,
  };
}

/**
 * @typedef {object} Place
 * @property {string} checkout
 * @property {string} home
 * @property {User | undefined} user undefined: the user of this process
 * @property {string} [path] PATH
 */

/**
 * Copies the checkout into the cell's room.
 * @param {Around} around
 * @param {{ name?: string, user?: User | undefined }} [options]
 * @returns {Promise<Place>}
 */
async function laidOut({ room }, { name = "web-tester", user } = {}) {
  const place = { checkout: join(room, name), home: join(room, "home"), user };
  await mkdir(place.home);
  await copyCheckout(place.checkout, user);
  const owner = user ?? (isRoot ? await someUser(0) : undefined);
  if (owner !== undefined) await chown(place.home, owner.uid, owner.gid);
  return place;
}

/** @param {Place} place @returns {Way} */
function as({ checkout, home, user, path = process.env["PATH"] ?? "" }) {
  return (npm, env) => ({
    command: "npm",
    args: npm,
    options: { cwd: checkout, env: { PATH: path, HOME: home, LANG: "C.UTF-8", ...env }, ...user },
  });
}

/** Returns an ordinary user of this machine; undefined where we are not root. */
/** @param {number} index @returns {Promise<User | undefined>} */
async function someUser(index) {
  if (!isRoot) return undefined;
  const users = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .map((line) => line.split(":"))
    .filter(([name, , uid]) => Number(uid) > 0 && name !== "postgres" && name !== "nobody")
    .map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }));
  return users[index];
}

/** @param {Place} place @returns {Way} */
function inContainer({ checkout }) {
  return (npm, env) => ({
    command: "docker",
    args: [
      ...[
        "run",
        "--rm",
        "--init",
        "--network",
        "host",
        "--volume",
        `${checkout}:/root/web-tester`,
        "--workdir",
        "/root/web-tester",
      ],
      ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
      image,
      "npm",
      ...npm,
    ],
    options: {},
  });
}

/**
 * Returns a way with little more than Node.js, npm, git and a few core utilities in PATH, and with root and daemon as the only users.
 * @param {Place} place
 * @param {string} room
 * @returns {Promise<Way>}
 */
async function bare(place, room) {
  const bin = join(room, "bin");
  await mkdir(bin);
  const { stdout } = await run("sh", [
    "-c",
    "for name in node npm sh env git id true ls cat mkdir ps; do command -v $name; done",
  ]);
  for (const program of stdout.trim().split("\n"))
    await symlink(program, join(bin, program.slice(dirname(program).length + 1)));
  const users = join(room, "passwd");
  await writeFile(users, "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/:/usr/sbin/nologin\n");
  await chmod(users, 0o644);
  const way = as({ ...place, path: bin });
  return (npm, env) => {
    const { command, args, options } = way(npm, env);
    const hidden = [
      "--mount",
      "--",
      "/bin/sh",
      "-c",
      `/bin/mount --bind "$1" /etc/passwd && shift && exec "$@"`,
      "sh",
      users,
    ];
    return { command: "/usr/bin/unshare", args: [...hidden, command, ...args], options };
  };
}
