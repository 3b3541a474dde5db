// @ts-check
/**
 * Checks web archives that the product exports with other programs: validated by py-wacz, checked by warcio, replayed by
 * pywb, and imported again. Needs Python 3.10 or newer with venv, and PyPI.
 */
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { Report } from "../lib/report.mjs";
import { runner } from "../lib/runner.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const packages = ["pywb==2.10.0", "wacz==0.6.0", "warcio==1.8.1"];
const python = process.env["PYTHON"] ?? "python3";
const pages = 60;

/** @type {Record<string, { type: string, body: Buffer }>} what the site serves, by path */
const served = {
  "/s.css": { type: "text/css", body: Buffer.from("p { color: navy; background: url(/bild%20%C3%BC.png) }") },
  "/bild%20%C3%BC.png": {
    type: "image/png",
    body: Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    ),
  },
  "/alt": {
    type: "text/html; charset=iso-8859-1",
    body: Buffer.from("<!doctype html><title>Caf\xe9</title><p>Na\xefve caf\xe9s", "latin1"),
  },
};
const links = Array.from({ length: pages }, (_, at) => `<a href="/p/${at}">${at}</a>`).join(" ");
served["/"] = htmlPage(`Start</h1>${links} <a href="/alt">alt</a><h1>`);
for (let at = 0; at < pages; at += 1)
  served[`/p/${at}`] = htmlPage(
    `Page ${at} – ü</h1><p>${createHash("sha256").update(String(at)).digest("hex")}</p><h1>`,
  );

/** @param {string} title */
function htmlPage(title) {
  return {
    type: "text/html; charset=utf-8",
    body: Buffer.from(`<!doctype html><title>t</title><link rel="stylesheet" href="/s.css"><h1>${title}</h1>\r\n`),
  };
}

const signal = benchSignal(10 * 60_000);
const report = new Report(console.log);
const folder = await mkdtemp(join(tmpdir(), "web-tester-lab-"));
const site = createServer(({ url = "" }, response) => {
  const { type, body } = served[url] ?? { type: "text/plain", body: null };
  response.writeHead(body === null ? 404 : 200, { "content-type": type }).end(body ?? "There is no such page.");
});
site.listen(0, "127.0.0.1");
await once(site, "listening");
const address = site.address();
const root = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;

/** @param {string} command @param {string[]} args @returns {Promise<{ code: number, said: string }>} */
async function run(command, args) {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: folder, maxBuffer: 64 << 20, signal });
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const {
      code = 1,
      stdout = "",
      stderr = "",
    } = /** @type {{ code?: number, stdout?: string, stderr?: string }} */ (error);
    return { code, said: `${stdout}${stderr}` };
  }
}
const program = (/** @type {string} */ name) => join(folder, "venv", "bin", name);

try {
  const made = await run(python, ["-m", "venv", "venv"]);
  const installed = await run(program("pip"), ["install", "--quiet", "--disable-pip-version-check", ...packages]);
  if (made.code + installed.code !== 0)
    throw new Error(`Python's packages are not there: ${made.said}${installed.said}`);
  await withProduct({ signal }, async (product) => {
    const { id } = await product.rest.call("createTestObject", { body: { name: "To be kept", url: `${root}/` } });
    const go = runner(product, id, signal);
    await go("crawl");
    await go("snapshotAll");
    const before = await history(product.database);
    report.equal("pages that were kept", pages + 2, before.length);
    const answer = await fetch(`${product.address}/api/export?format=wacz&testObjectId=${id}`, { signal });
    const bytes = Buffer.from(await answer.arrayBuffer());
    await writeFile(join(folder, "kept.wacz"), bytes);

    report.begin("py-wacz validates it");
    const valid = await run(program("wacz"), ["validate", "-f", "kept.wacz"]);
    report.holds("its verdict", valid.code === 0, valid.said.trim().split("\n").slice(-3).join("; "));

    report.begin("warcio checks every digest");
    await run(python, ["-m", "zipfile", "-e", "kept.wacz", "unpacked"]);
    const digests = await run(program("warcio"), ["check", "-v", "unpacked/archive/data.warc.gz"]);
    report.holds("no record fails", digests.code === 0 && !/failed/i.test(digests.said), `exit code ${digests.code}`);
    const control = Buffer.from(
      await promisify(execFile)("gzip", ["-dc", "unpacked/archive/data.warc.gz"], {
        cwd: folder,
        encoding: "buffer",
        maxBuffer: 64 << 20,
      }).then(({ stdout }) => stdout),
    );
    control.write("Pagf", control.indexOf("Page 7"));
    await writeFile(join(folder, "hurt.warc"), control);
    const hurt = await run(program("warcio"), ["check", "hurt.warc"]);
    report.holds("a changed byte is found (control)", hurt.code !== 0, hurt.said.trim().slice(0, 120));

    report.begin("pywb replays it");
    await replayed();

    report.begin("imported back");
    await product.rest.call("deleteTestObject", { params: { id } });
    await waitFor(async () => ((await history(product.database)).length === 0 ? true : undefined), {
      what: "the object is gone",
      timeoutMs: 120_000,
      signal,
    });
    const imported = await fetch(`${product.address}/api/import?async=false`, {
      method: "POST",
      headers: { "content-type": "application/wacz+zip" },
      body: bytes,
      signal,
    });
    report.equal("it is answered by", 200, imported.status === 201 ? 200 : imported.status);
    const after = await history(product.database);
    report.equal("pages with another hash or address", 0, after.filter((line) => !before.includes(line)).length);
    report.equal("pages", before.length, after.length);
  });
} finally {
  site.closeAllConnections();
  site.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = report.passed ? 0 : 1;

/** @param {import("../lib/stack.mjs").Product["database"]} database @returns {Promise<string[]>} address and hash of every kept page */
async function history(database) {
  const { rows } = await database.query(
    `SELECT i.url, encode(s.content_hash, 'hex') AS hash FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
     WHERE s.state = 'done' AND i.removal_id IS NULL ORDER BY i.url`,
  );
  return rows.map(({ url, hash }) => `${url} ${hash}`);
}

/** Checks every address of the site in pywb: byte for byte as it was served, and as a person would see it. */
async function replayed() {
  await run(program("wb-manager"), ["init", "kept"]);
  const warcs = (await readdir(join(folder, "unpacked", "archive"))).map((name) => join("unpacked", "archive", name));
  const added = await run(program("wb-manager"), ["add", "kept", ...warcs]);
  report.holds("it takes the records in", added.code === 0, added.said.trim().split("\n").at(-1) ?? "");
  const [port = 0] = await freePorts(1);
  const wayback = spawn(program("wayback"), ["-p", String(port), "-b", "127.0.0.1"], {
    cwd: folder,
    stdio: "ignore",
    signal,
  });
  wayback.on("error", () => undefined);
  try {
    const base = `http://127.0.0.1:${port}/kept`;
    await waitFor(
      () =>
        fetch(`${base}/`).then(
          () => /** @type {const} */ (true),
          () => undefined,
        ),
      { what: "pywb answers", timeoutMs: 60_000, signal },
    );
    /** @type {string[]} */
    const wrong = [];
    for (const [path, { body }] of Object.entries(served)) {
      const as = await fetch(`${base}/id_/${root}${path}`, { signal });
      if (!Buffer.from(await as.arrayBuffer()).equals(body)) wrong.push(`${path} (${as.status})`);
    }
    report.equal("addresses of the site that it gives otherwise", 0, wrong.length);
    if (wrong.length > 0) report.log(`    ${wrong.slice(0, 10).join(", ")}`);
    const seen = await (await fetch(`${base}/mp_/${root}/p/7`, { signal })).text();
    report.holds(
      "a page with its style led into the archive",
      seen.includes("Page 7") && /kept\/[^"]*\/s\.css/.test(seen),
      "",
    );
    const missing = await fetch(`${base}/id_/${root}/p/${pages}`, { signal });
    report.equal("what was never kept (control)", 404, missing.status);
  } finally {
    if (wayback.exitCode === null && wayback.signalCode === null) {
      const ended = once(wayback, "exit");
      wayback.kill("SIGTERM");
      await ended;
    }
  }
}
