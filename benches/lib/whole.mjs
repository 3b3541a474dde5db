// @ts-check
import { createHash } from "node:crypto";

/**
 * Checks that a run stored every page of a small site exactly as the site serves it, read back through the API.
 * @param {import("./report.mjs").Report} report
 * @param {Pick<import("./stack.mjs").Product, "rest">} product
 * @param {{ query: (text: string, values: unknown[]) => Promise<{ rows: any[] }> }} database
 * @param {string} runId of a fetch of all
 * @param {import("./small-site.mjs").SmallSite} site
 */
export async function checkWhole(report, { rest }, database, runId, site) {
  const { rows } = await database.query(
    "SELECT s.id, s.state, i.url FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE s.run_id = $1",
    [runId],
  );
  report.equal("pages of the run", site.pages, rows.length);
  report.equal("pages that are done", site.pages, rows.filter(({ state }) => state === "done").length);
  const sha256 = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex");
  let wrong = 0;
  for (const { id, url } of rows) {
    const page = Number(/\/p\/(\d+)$/.exec(url)?.[1] ?? 0);
    const kept = await rest.call("getTestSnapshot", { params: { id } });
    if (!("html" in kept) || sha256(kept.html) !== sha256(site.html(page))) wrong += 1;
  }
  report.equal("pages read back that are not what the site sent", 0, wrong);
}
