// @ts-check
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../../infra/local/bootstrap/project.mjs";

/**
 * Returns the size of the built application's JavaScript, in bytes, each file compressed separately by gzip.
 * @returns {Promise<{ first: number, all: number }>} `first`: the scripts that the page itself names, without those that screens load
 */
export async function scriptBytes() {
  const folder = join(root, "web", "dist");
  const html = await readFile(join(folder, "index.html"), "utf8");
  const named = [...html.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, path = ""]) => path);
  const built = (await readdir(join(folder, "assets"))).filter((name) => name.endsWith(".js"));
  const sum = async (/** @type {string[]} */ paths) => {
    const sizes = await Promise.all(paths.map(async (path) => gzipSync(await readFile(join(folder, path))).length));
    return sizes.reduce((total, size) => total + size, 0);
  };
  return { first: await sum(named), all: await sum(built.map((name) => `assets/${name}`)) };
}
