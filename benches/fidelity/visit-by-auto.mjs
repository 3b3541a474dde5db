// @ts-check
import { waitFor } from "../lib/wait-for.mjs";
import { judge } from "./zoo/judge.mjs";
import { serve, zoo } from "./zoo/serve.mjs";

/** Sites that are fetched at once: waiting ones cost nothing, and the browser has few tabs. */
const atOnce = 12;

/**
 * Fetches every page of the zoo in mode auto, which asks over HTTP first: the result should be the same as in the browser.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {import("../lib/report.mjs").Report} report
 * @param {AbortSignal} signal
 */
export async function visitByAuto(product, report, signal) {
  report.begin("The zoo by mode auto");
  const waiting = [...zoo];
  /** @type {string[]} */
  const wrong = [];
  const counts = { http: 0, browser: 0, failed: 0 };
  const work = async () => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      const site = await serve(page);
      try {
        const snapshot = await fetchOne(product, page.name, site.url, signal);
        const result = asResult(snapshot);
        const faults = judge(page, result);
        // over HTTP another reason for the failure may be found first
        if (result.kind === "failed") counts.failed += 1;
        else if (faults.length > 0) wrong.push(`${page.name} (${snapshot.fetch_mode_used}): ${faults.join("; ")}`);
        else if (result.kind !== "page") counts.failed += 1;
        else counts[snapshot.fetch_mode_used === "browser" ? "browser" : "http"] += 1;
      } finally {
        await site.close();
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  for (const line of wrong) console.log(`    ${line}`);
  console.log(
    `    ${zoo.length} pages: ${counts.http} right over HTTP, ${counts.browser} right in the browser, ${counts.failed} failed in words`,
  );
  report.equal("pages that are neither right nor failed in words", 0, wrong.length);
}

/**
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} name
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<import("@web-tester/contracts/entities/snapshot").TestSnapshot>} when it is over
 */
async function fetchOne({ rest, database }, name, url, signal) {
  const { id } = await rest.call("createTestObject", { body: { name, url } });
  await rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "auto" } });
  await database.query("INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, $2)", [id, url]);
  await rest.call("snapshotAll", { params: { id } });
  return waitFor(
    async () => {
      const { rows } = await database.query(
        `SELECT s.id FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 AND s.state IN ('done', 'failed')`,
        [id],
      );
      if (rows[0] === undefined) return undefined;
      const found = await rest.call("getTestSnapshot", { params: { id: rows[0].id }, query: {} });
      return Array.isArray(found) ? undefined : found;
    },
    { what: name, timeoutMs: 240_000, everyMs: 250, signal },
  );
}

/** @param {import("@web-tester/contracts/entities/snapshot").TestSnapshot} snapshot */
function asResult({ state, html, warning, error_code: code, error }) {
  const result =
    state === "done"
      ? { kind: "page", body: Buffer.from(html), warning }
      : code === "not_html"
        ? { kind: "not-html" }
        : { kind: "failed", code, message: error };
  return /** @type {import("@web-tester/loader/page-result").PageResult} */ (/** @type {unknown} */ (result));
}
