// @ts-check
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "../..");
/** Entries that are not part of an installed and built checkout (`node_modules` is copied separately). */
const leftOut = new Set([".git", "data", "node_modules"]);

/**
 * Copies this checkout as it is, installed and built.
 * @param {string} to a folder that does not exist yet
 * @param {{ uid: number, gid: number } | undefined} owner the owner, where that is another user
 */
export async function copyCheckout(to, owner) {
  const run = promisify(execFile);
  await run("mkdir", ["-p", to]);
  const names = (await readdir(root)).filter((name) => !leftOut.has(name));
  await run("cp", ["-a", ...names.map((name) => join(root, name)), to]);
  // Hard links where the owner stays the same: they take no space, and files there are replaced, never overwritten in place.
  const installed = join(root, "node_modules");
  const linked =
    owner === undefined &&
    (await run("cp", ["-al", installed, to]).then(
      () => true,
      () => false,
    ));
  if (!linked) await run("rm", ["-rf", join(to, "node_modules")]);
  if (!linked) await run("cp", ["-a", installed, to]);
  await run("rm", [
    "-rf",
    ...(await readdir(join(to, ".cache")))
      .filter((name) => name.startsWith("jest"))
      .map((name) => join(to, ".cache", name)),
    join(to, "none"),
  ]);
  if (owner !== undefined) await run("chown", ["-R", `${owner.uid}:${owner.gid}`, to]);
}
