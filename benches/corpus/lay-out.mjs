// @ts-check
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { cacheNameOf, corpusPackages } from "./packages.mjs";
import { downloadPackages } from "./download-packages.mjs";
import { runCommand } from "./run-command.mjs";

/**
 * @typedef {import("./packages.mjs").CorpusPackage} CorpusPackage
 * @typedef {{ release: string, pages: number, bytes: number }} Contents `release` is the package's own version; bytes are those of the HTML pages
 * @typedef {CorpusPackage & { root: string, contents: Contents }} LaidOutVersion `root`: folder of the pages
 */

/** The least share of the table's pages in folders without a record, which were put there by hand. */
const leastShareOfPages = 0.9;

/** Returns the folder where corpora are kept between runs. */
export function corpusFolder(env = process.env) {
  const cache = env["XDG_CACHE_HOME"];
  return join(
    cache === undefined || !cache.startsWith("/") ? join(homedir(), ".cache") : cache,
    "web-tester",
    "corpus",
  );
}

/**
 * Makes sure that every version of a site is unpacked completely in the cache, downloading what is missing; a repeated call only counts the files.
 * @param {string} [site]
 * @param {{ folder?: string, log?: (line: string) => void }} [options]
 * @returns {Promise<Map<string, LaidOutVersion>>} by version, in the order of the table
 */
export async function layOutCorpus(site = "postgresql-manual", { folder = corpusFolder(), log = () => {} } = {}) {
  const rows = corpusPackages.filter((row) => row.site === site);
  if (rows.length === 0)
    throw new Error(
      `There is no corpus named ${site}; there are: ${[...new Set(corpusPackages.map((row) => row.site))].join(", ")}`,
    );
  const missing = [];
  for (const row of rows) if ((await readVersion(row, folder)) === undefined) missing.push(row);
  if (missing.length > 0) await unpackMissing(missing, folder, log);
  /** @type {Map<string, LaidOutVersion>} */
  const versions = new Map();
  for (const row of rows) {
    const contents = await readVersion(row, folder);
    if (contents === undefined)
      throw new Error(
        `${join(folder, cacheNameOf(row))} is not whole after unpacking ${row.package}; remove that folder and try again`,
      );
    versions.set(row.version, { ...row, root: join(folder, cacheNameOf(row), row.folder), contents });
  }
  return versions;
}

/**
 * Returns what the cache has of one version, or undefined where it is missing or incomplete.
 * @param {CorpusPackage} row
 * @param {string} folder
 * @returns {Promise<Contents | undefined>}
 */
async function readVersion(row, folder) {
  const counted = await countPages(join(folder, cacheNameOf(row), row.folder)).catch(() => undefined);
  if (counted === undefined) return undefined;
  const text = await readFile(join(folder, cacheNameOf(row), "corpus.json"), "utf8").catch(() => undefined);
  if (text === undefined)
    return counted.pages >= row.pages * leastShareOfPages ? { release: "unknown", ...counted } : undefined;
  const recorded = readRecord(text);
  return recorded?.pages === counted.pages && recorded.bytes === counted.bytes ? recorded : undefined;
}

/** @param {string} text @returns {Contents | undefined} */
function readRecord(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root
 * @returns {Promise<{ pages: number, bytes: number }>}
 */
async function countPages(root) {
  const names = (await readdir(root, { recursive: true })).filter((name) => /\.html?$/i.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(root, name))).size));
  return { pages: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/**
 * Unpacks beside the final place and renames, so that an interruption leaves nothing half done.
 * @param {CorpusPackage[]} rows
 * @param {string} folder
 * @param {(line: string) => void} log
 */
async function unpackMissing(rows, folder, log) {
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, ".making-"));
  try {
    log(`Downloading ${rows.map((row) => row.package).join(", ")} …`);
    const downloads = await downloadPackages(rows, work);
    for (const row of rows) {
      const file = (await readdir(join(downloads, row.suite))).find((name) => name.startsWith(`${row.package}_`));
      if (file === undefined) throw new Error(`apt-get downloaded no file for ${row.package}`);
      const unpacked = join(work, cacheNameOf(row));
      await runCommand("dpkg-deb", ["-x", join(downloads, row.suite, file), unpacked], { timeoutMs: 120_000 });
      const release = (
        await runCommand("dpkg-deb", ["-f", join(downloads, row.suite, file), "Version"], { timeoutMs: 10_000 })
      ).trim();
      await writeFile(
        join(unpacked, "corpus.json"),
        JSON.stringify({ release, ...(await countPages(join(unpacked, row.folder))) }),
      );
      await rm(join(folder, cacheNameOf(row)), { recursive: true, force: true });
      await rename(unpacked, join(folder, cacheNameOf(row)));
      log(`Unpacked ${row.package} ${release}`);
    }
  } catch (cause) {
    throw new Error(whatIsNeeded(rows, folder, cause instanceof Error ? cause.message : String(cause)), { cause });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** @param {CorpusPackage[]} rows @param {string} folder @param {string} reason */
function whatIsNeeded(rows, folder, reason) {
  const byHand = rows.map(
    (row) =>
      `  ${row.package} (${row.suite}) unpacked as ${join(folder, cacheNameOf(row))}, so that ${join(folder, cacheNameOf(row), row.folder, row.index)} exists`,
  );
  return [
    `The corpus could not be laid out: ${reason}`,
    "It is made of Debian packages and needs a Debian system (apt-get, apt-config, dpkg-deb) that reaches a Debian archive.",
    "Anywhere else, put them there by hand:",
    ...byHand,
  ].join("\n");
}
