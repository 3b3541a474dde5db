// @ts-check
/**
 * Lets schemathesis call every operation of the OpenAPI document, with valid and invalid input, and check the answers
 * against it. Needs schemathesis (pip install schemathesis).
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Report } from "../lib/report.mjs";
import { runner } from "../lib/runner.mjs";
import { serveSmallSite } from "../lib/small-site.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";

const command = process.env["SCHEMATHESIS"] ?? "schemathesis";
try {
  execFileSync(command, ["--version"], { stdio: "ignore" });
} catch {
  console.error(
    "There is no schemathesis here: install it (pip install schemathesis), name it by SCHEMATHESIS where it is not on the PATH, then begin again.",
  );
  process.exit(1);
}

/**
 * The checks of answers. Left out: `negative_data_rejection`, as unknown fields are accepted on purpose, and
 * `unsupported_method`, as the specification requires no 405.
 */
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
];
const seed = process.argv[2] ?? "1";
const signal = benchSignal(15 * 60_000);
const report = new Report(console.log);
const folder = await mkdtemp(join(tmpdir(), "web-tester-lab-"));
const site = await serveSmallSite(20);
try {
  // the rate limit is tested elsewhere
  await withProduct({ signal, env: { RATE_LIMIT: "0" } }, async (product) => {
    const { id } = await product.rest.call("createTestObject", { body: { name: "Small site", url: site.url } });
    const run = runner(product, id, signal);
    await run("crawl");
    await run("snapshotAll");
    site.edit(10);
    await run("snapshotAll");
    report.begin(`schemathesis, seed ${seed}`);
    const before = product.parts().map(({ name, pid }) => `${name} ${pid}`);
    const child = spawn(
      command,
      [
        "run",
        `${product.address}/api/openapi.json`,
        ...["--url", product.address, "--checks", checks.join(","), "--phases", "examples,coverage,fuzzing"],
        ...["--max-examples", "15", "--seed", seed, "--continue-on-failure", "--no-color", "--warnings", "off"],
        // whether it thinks that it finds enough bodies for the import is about itself, not about the answers
        ...["--request-timeout", "20", "--suppress-health-check", "filter_too_much"],
      ],
      // it stores its findings in a folder in its working directory
      { cwd: folder, stdio: "inherit", signal },
    );
    const [code] = await once(child, "exit");
    report.equal("schemathesis ends with", 0, code ?? "a signal");
    const after = product.parts().map(({ name, pid }) => `${name} ${pid}`);
    report.sameSet("processes of the product", new Set(before), new Set(after), "none was started again");
  });
} finally {
  await site.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = report.passed ? 0 : 1;
