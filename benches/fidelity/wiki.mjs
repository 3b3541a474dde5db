// @ts-check
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, hasPhp, servePhp } from "./php-server.mjs";

const program = "/usr/share/dokuwiki";

/**
 * Starts DokuWiki as packaged by the distribution, on PHP's own server, with its data in a temporary folder.
 * @param {number} count of pages
 * @returns {Promise<import("./php-server.mjs").Wiki | null>} null where it is not installed
 */
export async function startWiki(count) {
  if (!existsSync(join(program, "doku.php")) || !hasPhp()) return null;
  const folder = mkdtempSync(join(tmpdir(), "web-tester-wiki-"));
  const [user, password] = ["anna", "geheim-9"];
  // the package's folders are links to places that only the system's web server may write to
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
  const url = `http://127.0.0.1:${await freePort()}/`;
  const server = await servePhp(url, folder, `${url}doku.php`, {});
  return {
    name: "DokuWiki",
    url,
    login: [
      { do: "open", url: `${url}doku.php?id=page0&do=login` },
      { do: "fill", selector: "#dw__login input[name=u]", value: user },
      { do: "fill", selector: "#dw__login input[name=p]", value: password },
      { do: "click", selector: "#dw__login button[type=submit]" },
      { do: "wait", selector: "a[href*='do=logout']" },
    ],
    pages: Array.from({ length: count }, (_, number) => `${url}doku.php?id=page${number}`),
    async close() {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
