// @ts-check
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, untilAnswered } from "./serving.mjs";

/** The Python with Django or Trac; `BENCH_PYTHON` names one where the machine's own has none. */
const python = process.env["BENCH_PYTHON"] ?? "python3";
const gitweb = "/usr/share/gitweb/gitweb.cgi";
const cgit = "/usr/lib/cgit/cgit.cgi";

/**
 * Starts gitweb with one repository for each page; its pages show the age of each commit.
 * @param {number} count of pages
 * @returns {Promise<import("./trial.mjs").Site | null>} null where it is not installed
 */
export async function startGitweb(count) {
  if (!existsSync(gitweb) || !has("perl", ["-MCGI", "-e", "1"])) return null;
  const { folder, edit } = repositories(count);
  const config = join(folder, "gitweb.conf");
  writeFileSync(config, `$projectroot = "${folder}";\n$projects_list = "${folder}";\n1;\n`);
  return serveCgi("gitweb", [gitweb], { GITWEB_CONFIG: config }, folder, {
    pages: Array.from({ length: count }, (_, number) => `?p=r${number}.git;a=summary`),
    edit,
  });
}

/** Starts cgit in the same way; the CSS class of its ages changes too. @param {number} count @returns {Promise<import("./trial.mjs").Site | null>} */
export async function startCgit(count) {
  if (!existsSync(cgit)) return null;
  const { folder, edit } = repositories(count);
  const config = join(folder, "cgitrc");
  writeFileSync(config, `virtual-root=/\nscan-path=${folder}\ncache-size=0\n`);
  return serveCgi("cgit", [cgit], { CGIT_CONFIG: config }, folder, {
    pages: Array.from({ length: count }, (_, number) => `r${number}.git/`),
    edit,
  });
}

/** Starts Trac with a wiki page for each page. @param {number} count @returns {Promise<import("./trial.mjs").Site | null>} */
export async function startTrac(count) {
  if (!has(python, ["-c", "import trac"])) return null;
  const folder = mkdtempSync(join(tmpdir(), "web-tester-trac-"));
  const home = join(folder, "env");
  const admin = (/** @type {string[]} */ args) =>
    execFileSync(python, ["-c", "from trac.admin.console import run; run()", home, ...args], { stdio: "ignore" });
  admin(["initenv", "Project", "sqlite:db/trac.db"]);
  admin(["config", "set", "trac", "default_timezone", "UTC"]);
  const file = join(folder, "text");
  mkdirSync(join(folder, "texts"));
  for (let number = 0; number < count; number += 1)
    writeFileSync(join(folder, "texts", `Page${number}`), `= Page ${number} =\n${prose(number)}\n`);
  admin(["wiki", "load", join(folder, "texts")]);
  const port = await freePort();
  const server = spawn(
    python,
    ["-c", "from trac.web.standalone import main; main()", "--hostname=127.0.0.1", `--port=${port}`, "-s", home],
    { stdio: "ignore" },
  );
  const url = `http://127.0.0.1:${port}/`;
  await untilAnswered(url);
  return {
    name: "Trac",
    url,
    pages: Array.from({ length: count }, (_, number) => `${url}wiki/Page${number}`),
    edit: (number, seed) => {
      writeFileSync(file, `= Page ${number} =\n${prose(number)} An edit, number ${seed}.\n`);
      admin(["wiki", "import", `Page${number}`, file]);
    },
    close: async () => {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a site with Django: form tokens, a clock, relative times, view counts, messages.
 * @param {number} count
 * @returns {Promise<import("./trial.mjs").Site | null>}
 */
export async function startDjango(count) {
  if (!has(python, ["-c", "import django"])) return null;
  const folder = mkdtempSync(join(tmpdir(), "web-tester-django-"));
  const port = await freePort();
  const program = join(import.meta.dirname, "django-site.py");
  const server = spawn(python, [program, folder, String(port)], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}/`;
  await untilAnswered(`${url}a0`);
  return {
    name: "Django",
    url,
    pages: Array.from({ length: count }, (_, number) => `${url}a${number}`),
    edit: (number, seed) => writeFileSync(join(folder, String(number)), String(seed)),
    close: async () => {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const prose = (/** @type {number} */ number) =>
  Array.from({ length: 8 }, (_, index) => `Paragraph ${index} of page ${number} says something and ends.`).join("\n\n");

/** Creates a bare repository for each page, with some commits of the last minutes and hours. @param {number} count */
function repositories(count) {
  const folder = mkdtempSync(join(tmpdir(), "web-tester-git-"));
  const commit = (/** @type {number} */ number, /** @type {string} */ words, /** @type {number} */ agoS) => {
    const at = `${Math.floor(Date.now() / 1000) - agoS} +0000`;
    const who = { GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.org", GIT_AUTHOR_DATE: at };
    const env = {
      ...process.env,
      ...who,
      GIT_COMMITTER_NAME: "Ann",
      GIT_COMMITTER_EMAIL: "ann@example.org",
      GIT_COMMITTER_DATE: at,
    };
    const cwd = join(folder, `r${number}.git`);
    const git = (/** @type {string[]} */ ...args) => execFileSync("git", args, { cwd, env }).toString().trim();
    const tree = git("mktree");
    const parent = words.startsWith("First") ? [] : ["-p", "main"];
    git("update-ref", "refs/heads/main", git("commit-tree", tree, ...parent, "-m", words));
  };
  for (let number = 0; number < count; number += 1) {
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", join(folder, `r${number}.git`)]);
    writeFileSync(join(folder, `r${number}.git`, "description"), `Repository ${number}\n`);
    commit(number, `First work on part ${number}`, 4_000 * (number % 9) + 3_000);
    for (let step = 1; step <= 9; step += 1)
      commit(
        number,
        `Step ${step}: further work on part ${number}, which goes on for a while and needs some words`,
        3_000 - step * 320,
      );
    commit(number, `Last work on part ${number}, so far`, (number * 13) % 65);
  }
  return {
    folder,
    edit: (/** @type {number} */ number, /** @type {number} */ seed) => commit(number, `An edit, number ${seed}`, 0),
  };
}

/**
 * @param {string} name
 * @param {[string, ...string[]]} command
 * @param {Record<string, string>} env
 * @param {string} folder
 * @param {{ pages: string[], edit: (page: number, seed: number) => void }} what
 * @returns {Promise<import("./trial.mjs").Site>}
 */
async function serveCgi(name, [program, ...args], env, folder, { pages, edit }) {
  const port = await freePort();
  const server = createServer((request, response) => {
    const [path = "/", query = ""] = (request.url ?? "/").split("?");
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "ignore"],
      env: {
        ...{ PATH: process.env["PATH"], GATEWAY_INTERFACE: "CGI/1.1", REQUEST_METHOD: "GET", QUERY_STRING: query },
        ...{ PATH_INFO: path, SCRIPT_NAME: "", SERVER_NAME: "127.0.0.1", SERVER_PORT: String(port) },
        ...{ SERVER_PROTOCOL: "HTTP/1.1", HTTP_HOST: `127.0.0.1:${port}`, REQUEST_URI: request.url, ...env },
      },
    });
    /** @type {Buffer[]} */
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.once("close", () => {
      const text = Buffer.concat(parts).toString();
      const end = /\r?\n\r?\n/.exec(text);
      const head = text.slice(0, end?.index ?? 0);
      const status = Number(/^status: *(\d+)/im.exec(head)?.[1] ?? 200);
      const type = /^content-type: *(.+?)\r?$/im.exec(head)?.[1] ?? "text/html; charset=utf-8";
      response.writeHead(status, { "content-type": type });
      response.end(text.slice((end?.index ?? 0) + (end?.[0].length ?? 0)));
    });
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  const url = `http://127.0.0.1:${port}/`;
  return {
    name,
    url,
    pages: pages.map((page) => url + page),
    edit,
    accepts: true,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} program @param {string[]} args */
function has(program, args) {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
