// @ts-check
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, hasPhp, servePhp } from "./php-server.mjs";

const program = "/usr/share/mediawiki";

/**
 * Starts MediaWiki as packaged by the distribution, with SQLite, on PHP's own server, with its data in a temporary folder.
 * @param {number} count of pages
 * @returns {Promise<import("./php-server.mjs").Wiki | null>} null where it, or SQLite for PHP, is not installed
 */
export async function startMediaWiki(count) {
  const hasAll = existsSync(join(program, "index.php")) && hasPhp() && hasSqlite();
  if (!hasAll) return null;
  const folder = mkdtempSync(join(tmpdir(), "web-tester-mediawiki-"));
  const [user, password] = ["Anna", "geheim-Wort-9"];
  const url = `http://127.0.0.1:${await freePort()}/`;
  const texts = join(folder, "texts");
  for (const name of [texts, join(folder, "data")]) mkdirSync(name);
  /** @param {string} name @param {string[]} args */
  const maintain = (name, ...args) =>
    execFileSync("php", [join(program, "maintenance", name), ...args], { stdio: ["ignore", "ignore", "pipe"] });
  maintain(
    "install.php",
    ...["--dbtype", "sqlite", "--dbpath", join(folder, "data"), "--server", url.slice(0, -1), "--scriptpath", ""],
    ...["--confpath", folder, "--pass", password, "--lang", "en", "Members", user],
  );
  const settings = join(folder, "LocalSettings.php");
  appendFileSync(
    settings,
    `\n$wgGroupPermissions['*']['read'] = false;\n$wgGroupPermissions['*']['createaccount'] = false;\n$wgDefaultSkin = 'vector';\n$wgJobRunRate = 0;\n`,
  );
  for (let number = 0; number < count; number += 1)
    writeFileSync(
      join(texts, `Page${number}`),
      `What members read on page ${number}.\n\n* [[Page${(number + 1) % count}]]\n`,
    );
  maintain("importTextFiles.php", "--conf", settings, "--user", user, `${texts}/*`);
  const server = await servePhp(url, program, `${url}index.php?title=Special:UserLogin`, { MW_CONFIG_FILE: settings });
  return {
    name: "MediaWiki",
    url,
    login: [
      { do: "open", url: `${url}index.php?title=Special:UserLogin` },
      { do: "fill", selector: "#wpName1", value: user },
      { do: "fill", selector: "#wpPassword1", value: password },
      { do: "click", selector: "#wpLoginAttempt" },
      { do: "wait", selector: "#pt-userpage" },
    ],
    pages: Array.from({ length: count }, (_, number) => `${url}index.php?title=Page${number}`),
    async close() {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function hasSqlite() {
  return execFileSync("php", ["-m"], { encoding: "utf8" }).split("\n").includes("pdo_sqlite");
}
