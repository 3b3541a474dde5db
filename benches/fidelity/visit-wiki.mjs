// @ts-check
import { fetchPages, registerPages } from "../fetch-browser/run-ours.mjs";

/**
 * Signs in at a wiki by login steps, and fetches its pages as the user, in the browser and over HTTP.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {import("./php-server.mjs").Wiki} wiki
 * @param {import("../lib/report.mjs").Report} report
 * @param {AbortSignal} signal
 */
export async function visitWiki(product, wiki, report, signal) {
  for (const mode of /** @type {const} */ (["browser", "http"])) {
    report.begin(`${wiki.name}, ${wiki.pages.length} pages as its user (${mode})`);
    const id = await registerPages(product, wiki.url, wiki.pages);
    // the control: only members see anything
    const alone = await fetchPages(product, id, signal);
    report.equal("pages that show what members read, without a login", 0, await shown(product, id));
    await product.rest.call("updateTestObject", {
      params: { id },
      body: {
        fetch_mode: mode,
        login_steps: wiki.login,
      },
    });
    const tried = await product.rest.call("tryLogin", { params: { id } });
    report.equal("steps that worked", 5, tried.steps.filter(({ ok }) => ok).length);
    const fetched = await fetchPages(product, id, signal);
    report.equal("pages fetched", wiki.pages.length, fetched.pages);
    report.equal("pages that show what members read", wiki.pages.length, await shown(product, id));
    console.log(`    ${fetched.seconds.toFixed(1)} s, ${alone.seconds.toFixed(1)} s without a login`);
  }
}

/** Counts the newest snapshots with the text that members read. @param {import("../lib/stack.mjs").Product} product @param {string} id */
async function shown({ rest, database }, id) {
  const { rows } = await database.query(
    `SELECT i.url, s.id FROM test_instance i JOIN test_snapshot s ON s.id = i.last_snapshot_id AND s.state = 'done' WHERE i.test_object_id = $1`,
    [id],
  );
  let count = 0;
  for (const { url, id: snapshot } of rows) {
    const number = /page(\d+)$/i.exec(url)?.[1];
    const found = await rest.call("getTestSnapshot", { params: { id: snapshot }, query: {} });
    if (!Array.isArray(found) && found.html.includes(`What members read on page ${number}.`)) count += 1;
  }
  return count;
}
