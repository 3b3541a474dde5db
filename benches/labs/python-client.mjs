// @ts-check
/** Checks that a Python client generated from the OpenAPI document works with the product. Needs Python 3.10 or newer with venv, and PyPI. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { api } from "@web-tester/contracts/api";
import { Report } from "../lib/report.mjs";
import { serveSmallSite } from "../lib/small-site.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";

/** The generator and the packages that its clients import. */
const packages = ["openapi-python-client==0.29.1"];
const python = process.env["PYTHON"] ?? "python3";
const token = "of-the-lab";

/** The program as a person would write it: registers a site, crawls it, fetches it, reads the results, and gets an error with a message. */
const program = `
import sys, time
from CLIENT import AuthenticatedClient, Client
from CLIENT.api.checks import list_checks
from CLIENT.api.session import get_session
from CLIENT.api.testobjects import (
    crawl, create_test_object, delete_test_object, get_test_object, list_runs, list_test_instances, list_test_objects, snapshot_all,
)
from CLIENT.models import CreateTestObjectBody

address, site, token = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=False)
made = create_test_object.sync(client=client, body=CreateTestObjectBody(name="By Python", url=site))
assert made.name == "By Python", made
def ended(run):
    while True:
        found = [each for each in list_runs.sync(id=made.id, client=client).items if each.id == run]
        if found and str(found[0].state) != "running":
            return found[0]
        time.sleep(0.1)
found = ended(crawl.sync(id=made.id, client=client).run_id)
assert found.completed == found.total > 5, found
assert found.started_name == "API_TOKEN" and str(found.started_by) == "api", found
fetched = ended(snapshot_all.sync(id=made.id, client=client).run_id)
assert fetched.failed == 0, fetched
pages = list_test_instances.sync(id=made.id, client=client, limit=100)
assert pages.total == len(pages.items) > 5, pages.total
assert made.id in [each.id for each in list_test_objects.sync(client=client)]
assert list_checks.sync(client=client).items == []
assert str(get_session.sync(client=client).actor.role) == "admin"
assert get_test_object.sync(id=made.id, client=client).instances_total == pages.total
refused = list_test_objects.sync_detailed(client=Client(base_url=address))
assert refused.status_code == 401, refused
delete_test_object.sync(id=made.id, client=client)
print("pages", pages.total)
`;

/** @param {string} command @param {string[]} args @param {string} cwd */
const run = async (command, args, cwd) =>
  (
    await promisify(execFile)(command, args, { cwd, maxBuffer: 64 << 20 }).catch((/** @type {unknown} */ error) => {
      const { stdout = "", stderr = "" } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
      throw new Error(`${command} ${args[0]} failed: ${stdout}\n${stderr}`, { cause: error });
    })
  ).stdout;

const signal = benchSignal(10 * 60_000);
const report = new Report(console.log);
const folder = await mkdtemp(join(tmpdir(), "web-tester-lab-"));
const site = await serveSmallSite(20);
try {
  await run(python, ["-m", "venv", "venv"], folder);
  const own = join(folder, "venv", process.platform === "win32" ? "Scripts" : "bin");
  await run(join(own, "pip"), ["install", "--quiet", "--disable-pip-version-check", ...packages], folder);
  await withProduct({ signal, env: { API_TOKEN: token } }, async ({ address }) => {
    report.begin("a client for Python");
    const answer = await fetch(`${address}/api/openapi.json`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    await writeFile(join(folder, "openapi.json"), await answer.text());
    const said = await run(
      join(own, "openapi-python-client"),
      ["generate", "--path", "openapi.json", "--output-path", "made", "--meta", "none"],
      folder,
    );
    report.equal(
      "shapes and calls that it leaves out",
      0,
      said.split(/nable to process|will not be generated/).length - 1,
    );
    const files = await readdir(join(folder, "made", "api"), { recursive: true });
    const made = files.map((file) => basename(file)).filter((name) => /^[a-z]\w+\.py$/.test(name));
    report.equal("calls that it made", Object.keys(api).length, made.length);
    await writeFile(join(folder, "use.py"), program.replaceAll("CLIENT", "made"));
    const used = await run(join(own, "python"), ["use.py", address, site.url, token], folder);
    report.holds("the program ends with its pages", /^pages \d+/.test(used), used.trim());
  });
} finally {
  await site.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = report.passed ? 0 : 1;
