// @ts-check
/** Fetches three good pages in the browser, alone and beside nine pages of another object that never end: how long they take, and how they end. */
import { once } from "node:events";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { budgets } from "@web-tester/contracts/limits";
import { Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const usage = `npm run bench -- browser-turns [--runs N]

Fetches three pages of an object in the browser: alone, and while nine pages of another object (scripts without an end, answers
that never end) hold as many tabs as one object may have, N times (3). Aim: the good pages are kept within the time that one page has.`;
const timeoutMs = 300_000;

/** @type {Record<string, string>} */
const scripts = { loop: "while (true);", late: "onload = () => setTimeout(() => { while (true); }, 50);" };

/** Starts a site on its own host, so that politeness towards one site delays nothing of the other. */
async function startSite() {
  let arrived = 0;
  const server = createServer((request, response) => {
    const name = (request.url ?? "").split("/")[1] ?? "";
    response.writeHead(200, { "Content-Type": "text/html" });
    if (name === "drip") {
      arrived += 1;
      const timer = setInterval(() => response.write("<p>x"), 50);
      response.once("close", () => clearInterval(timer));
      return;
    }
    if (scripts[name] !== undefined) arrived += 1;
    response.end(`<!doctype html><title>Page</title><script>${scripts[name] ?? "document.title = 'Good'"}</script>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    arrived: () => arrived,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} site
 * @param {readonly string[]} paths
 */
async function register({ rest, database }, site, paths) {
  const { id } = await rest.call("createTestObject", { body: { name: "Fetched by the bench", url: site } });
  await rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "browser" } });
  await database.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) AS u",
    [id, paths.map((path) => site + path)],
  );
  return id;
}

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: { runs: { type: "string", default: "3" }, help: { type: "boolean", default: false } },
  });
  const runs = Number(values.runs);
  if (values.help || !(runs >= 1 && runs <= 20)) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal(runs * timeoutMs);
  const report = new Report(console.log);
  const [good, hostile] = [await startSite(), await startSite()];
  try {
    await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
      const { rest, database } = product;
      const goodId = await register(product, good.url, ["good/1", "good/2", "good/3"]);
      const names = ["loop", "drip", "late"];
      const hostileId = await register(
        product,
        hostile.url,
        Array.from({ length: 9 }, (_, index) => `${names[index % 3]}/${index}`),
      );
      const fetchGood = async () => {
        const beganAt = performance.now();
        const { runId } = await rest.call("snapshotAll", { params: { id: goodId } });
        const failed = await waitFor(
          async () => {
            const { rows } = await database.query("SELECT failed FROM run WHERE id = $1 AND state <> 'running'", [
              runId,
            ]);
            return /** @type {number | undefined} */ (rows[0]?.failed);
          },
          { what: "the good pages", timeoutMs, everyMs: 20, signal },
        );
        report.equal("good pages that failed", 0, failed);
        return (performance.now() - beganAt) / 1000;
      };
      await fetchGood(); // this starts the browser
      for (let round = 1; round <= runs; round += 1) {
        report.begin(`round ${round} of ${runs}`);
        const alone = await fetchGood();
        const before = hostile.arrived();
        const { runId } = await rest.call("snapshotAll", { params: { id: hostileId } });
        await waitFor(async () => (hostile.arrived() - before >= 2 ? true : undefined), {
          what: "the hostile pages",
          timeoutMs,
          everyMs: 20,
          signal,
        });
        const beside = await fetchGood();
        report.log(`  alone ${alone.toFixed(1)} s, beside nine that never end ${beside.toFixed(1)} s`);
        report.below("time of three good pages beside them", budgets.browserDeadlineMs / 1000, beside, "s");
        if (runId !== null) await rest.call("cancelRun", { params: { id: runId } });
      }
    });
  } finally {
    good.close();
    hostile.close();
  }
  return report.passed;
}

if (!(await main())) process.exitCode = 1;
