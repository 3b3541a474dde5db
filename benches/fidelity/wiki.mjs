// @ts-check
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = "/usr/share/dokuwiki";

/**
 * @typedef {object} Wiki DokuWiki with pages that only its user sees
 * @property {string} url
 * @property {string[]} pages their addresses
 * @property {string} user
 * @property {string} password
 * @property {() => Promise<void>} close
 */

/**
 * Starts DokuWiki as the distribution packs it, on PHP's own server, with its data in a temporary folder.
 * @param {number} count of pages
 * @returns {Promise<Wiki | null>} null where it is not installed
 */
export async function startWiki(count) {
  if (!existsSync(join(program, "doku.php")) || !hasPhp()) return null;
  const folder = mkdtempSync(join(tmpdir(), "web-tester-wiki-"));
  const [user, password] = ["anna", "geheim-9"];
  // the package's folders are links to places that only its own server may write
  cpSync(program, folder, { recursive: true, dereference: true, force: true, errorOnExist: false });
  for (const name of ["data", "conf"]) rmSync(join(folder, name), { recursive: true, force: true });
  for (const name of [
    "attic",
    "cache",
    "index",
    "locks",
    "log",
    "media",
    "media_attic",
    "media_meta",
    "meta",
    "pages",
    "tmp",
  ])
    mkdirSync(join(folder, "data", name), { recursive: true });
  cpSync("/etc/dokuwiki", join(folder, "conf"), { recursive: true, dereference: true, force: true });
  const config = {
    title: "Members",
    useacl: 1,
    superuser: "@admin",
    disableactions: "register",
    savedir: join(folder, "data"),
  };
  const lines = Object.entries(config).map(([name, value]) => `$conf['${name}'] = ${JSON.stringify(value)};`);
  writeFileSync(join(folder, "conf", "local.php"), `<?php\n${lines.join("\n")}\n`);
  writeFileSync(join(folder, "conf", "acl.auth.php"), "* @ALL 0\n* @user 8\n");
  const hash = execFileSync("php", ["-r", "echo password_hash($argv[1], PASSWORD_BCRYPT);", password], {
    encoding: "utf8",
  });
  writeFileSync(join(folder, "conf", "users.auth.php"), `${user}:${hash}:Anna:anna@wiki.test:user\n`);
  writeFileSync(
    join(folder, "inc", "preload.php"),
    `<?php\ndefine('DOKU_CONF', ${JSON.stringify(join(folder, "conf/"))});\n`,
  );
  for (let number = 0; number < count; number += 1) {
    const text = `====== Page ${number} ======\n\nWhat members read on page ${number}.\n\n  * [[page${(number + 1) % count}]]\n`;
    writeFileSync(join(folder, "data", "pages", `page${number}.txt`), text);
  }
  const port = await freePort();
  const server = spawn("php", ["-S", `127.0.0.1:${port}`, "-t", folder], {
    stdio: "ignore",
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: "4" },
  });
  const url = `http://127.0.0.1:${port}/`;
  await answers(`${url}doku.php`);
  return {
    url,
    user,
    password,
    pages: Array.from({ length: count }, (_, number) => `${url}doku.php?id=page${number}`),
    async close() {
      server.kill();
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

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** @param {string} url */
async function answers(url) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      const answer = await fetch(url);
      await answer.arrayBuffer();
      if (answer.status < 500) return;
    } catch {
      // not yet
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} did not answer within 10 s.`);
}
