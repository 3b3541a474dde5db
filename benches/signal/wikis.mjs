// @ts-check
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, untilAnswered } from "./serving.mjs";

const dokuwiki = "/usr/share/dokuwiki";
const mediawiki = "/usr/share/mediawiki";
const prose = (/** @type {number} */ number) =>
  Array.from(
    { length: 8 },
    (_, index) => `Paragraph ${index} of page ${number} says something about its subject, and then it ends.`,
  ).join("\n\n");

/**
 * Starts DokuWiki as packaged by the distribution, on PHP's own server, with its cache off.
 * @param {number} count of pages
 * @returns {Promise<import("./trial.mjs").Site | null>} null where it is not installed
 */
export async function startDokuWiki(count) {
  if (!existsSync(join(dokuwiki, "doku.php")) || !hasPhp()) return null;
  const folder = mkdtempSync(join(tmpdir(), "web-tester-doku-"));
  cpSync(dokuwiki, folder, { recursive: true, dereference: true, force: true, errorOnExist: false });
  for (const name of ["data", "conf"]) rmSync(join(folder, name), { recursive: true, force: true });
  const folders = "attic cache index locks log media media_attic media_meta meta pages tmp";
  for (const name of folders.split(" ")) mkdirSync(join(folder, "data", name), { recursive: true });
  cpSync("/etc/dokuwiki", join(folder, "conf"), { recursive: true, dereference: true, force: true });
  const config = { title: "Wiki", useacl: 0, cachetime: -1, savedir: join(folder, "data") };
  const lines = Object.entries(config).map(([name, value]) => `$conf['${name}'] = ${JSON.stringify(value)};`);
  writeFileSync(join(folder, "conf", "local.php"), `<?php\n${lines.join("\n")}\n`);
  writeFileSync(
    join(folder, "inc", "preload.php"),
    `<?php\ndefine('DOKU_CONF', ${JSON.stringify(join(folder, "conf/"))});\n`,
  );
  const write = (/** @type {number} */ number, /** @type {string} */ more) =>
    writeFileSync(
      join(folder, "data", "pages", `page${number}.txt`),
      `====== Page ${number} ======\n\n${prose(number)}${more}\n\n  * [[page${(number + 1) % count}]]\n`,
    );
  for (let number = 0; number < count; number += 1) write(number, "");
  const { url, close } = await servePhp(folder, "doku.php");
  return {
    name: "DokuWiki",
    url,
    pages: Array.from({ length: count }, (_, number) => `${url}doku.php?id=page${number}`),
    edit: (number, seed) => write(number, ` An edit, number ${seed}.`),
    close: async () => {
      close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts MediaWiki as packaged by the distribution, on PHP's own server and SQLite, with its caches off.
 * @param {number} count of pages
 * @returns {Promise<import("./trial.mjs").Site | null>} null where it is not installed
 */
export async function startMediaWiki(count) {
  if (!existsSync(join(mediawiki, "maintenance", "install.php")) || !hasPhp()) return null;
  const folder = mkdtempSync(join(tmpdir(), "web-tester-media-"));
  const program = join(folder, "wiki");
  cpSync(mediawiki, program, { recursive: true, dereference: true, force: true, errorOnExist: false });
  rmSync(join(program, "LocalSettings.php"), { force: true });
  const port = await freePort();
  const php = (/** @type {string[]} */ args, input = "") =>
    execFileSync("php", args, { cwd: program, input, stdio: ["pipe", "pipe", "ignore"], maxBuffer: 64 * 1024 * 1024 });
  const at = ["--dbtype", "sqlite", "--dbpath", folder, "--dbname", "wiki", "--scriptpath", ""];
  const server = `http://127.0.0.1:${port}`;
  php(["maintenance/install.php", ...at, "--server", server, "--pass", "a-long-password-9", "Wiki", "Admin"]);
  appendFileSync(
    join(program, "LocalSettings.php"),
    "\n$wgMainCacheType = CACHE_NONE;\n$wgParserCacheType = CACHE_NONE;\n$wgMessageCacheType = CACHE_NONE;\n$wgSessionCacheType = CACHE_DB;\n$wgCachePages = false;\n$wgJobRunRate = 0;\n",
  );
  const write = (/** @type {number} */ number, /** @type {string} */ more) =>
    void php(
      ["maintenance/edit.php", "--user", "Admin", `Page_${number}`],
      `${prose(number)}${more}\n\n[[Page ${(number + 1) % count}]]\n`,
    );
  for (let number = 0; number < count; number += 1) write(number, "");
  const { url, close } = await servePhp(program, "index.php", port);
  return {
    name: "MediaWiki",
    url,
    pages: Array.from({ length: count }, (_, number) => `${url}index.php?title=Page_${number}`),
    edit: (number, seed) => write(number, ` An edit, number ${seed}.`),
    close: async () => {
      close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function hasPhp() {
  try {
    execFileSync("php", ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} folder
 * @param {string} path that answers once it is ready
 * @param {number} [port]
 */
async function servePhp(folder, path, port) {
  const chosen = port ?? (await freePort());
  const server = spawn("php", ["-S", `127.0.0.1:${chosen}`, "-t", folder], {
    stdio: "ignore",
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: "4" },
  });
  const url = `http://127.0.0.1:${chosen}/`;
  await untilAnswered(url + path);
  return { url, close: () => void server.kill() };
}
