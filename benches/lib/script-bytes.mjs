// @ts-check
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../../infra/local/bootstrap/project.mjs";

/**
 * JavaScript of the built application, in bytes, each file by itself in gzip.
 * @returns {Promise<{ first: number, all: number }>} `first`: what the page names itself, before anything is loaded for a screen
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
