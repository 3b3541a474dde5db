// @ts-check
/** Compares two sites of 10,000 pages, equal and with 500 that differ: how long until the first screen of the review, and until the end. */
import { parseArgs } from "node:util";
import { Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const usage = `npm run bench -- two-sites [--pages 10000] [--differing 500] [--rounds 5]

Imports two sites of --pages pages, of which --differing differ, compares them --rounds times after one that is not counted, and
compares one of them with itself before. Ends with 1 when the first screen, or the whole comparison of equal sites, takes a second.`;
const aimMs = 1_000;

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "10000" },
    differing: { type: "string", default: "500" },
    rounds: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});
const [pages = 0, differing = 0, rounds = 0] = [values.pages, values.differing, values.rounds].map(Number);
if (values.help || !(pages > 0 && differing >= 0 && rounds > 0)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

/** @param {number} page @param {string} said */
const html = (page, said) =>
  `<!doctype html><title>${page}</title>\n${Array.from({ length: 30 }, (_, line) => `<p>Page ${page}, line ${line}</p>`).join("\n")}\n<p>${said}</p>\n`;

/** Returns an export file of three sites: production, an equal one, and one with some pages that differ. */
function file() {
  const sites = ["production", "equal", "staging"];
  const all = Array.from({ length: pages }, (_, page) => page);
  return JSON.stringify({
    ...{ format: "web-tester-export", version: 1 },
    testObjects: sites.map((id) => ({ id, name: id, url: `https://${id}.example/` })),
    testInstances: sites.flatMap((site) =>
      all.map((page) => ({
        ...{ id: `${site}-${page}`, testobject_id: site, url: `https://${site}.example/${page}`, name: `${page}` },
      })),
    ),
    testSnapshots: sites.flatMap((site) =>
      all.map((page) => ({
        ...{ id: `${site}-${page}`, testinstance_id: `${site}-${page}`, created_at: "2026-01-01T00:00:00Z" },
        ...{ http_status: 200, headers: { "content-type": "text/html" } },
        html: html(page, site === "staging" && page < differing ? `Other words ${page % 5}` : "Words"),
      })),
    ),
  });
}

const signal = benchSignal(15 * 60_000);
const report = new Report(console.log);
await withProduct({ signal, log: console.log }, async ({ address, rest, database }) => {
  const answer = await fetch(`${address}/api/import`, {
    ...{ method: "POST", headers: { "content-type": "application/json" }, body: file(), signal },
  });
  if (!answer.ok) throw new Error(`The import answered ${answer.status}: ${await answer.text()}`);
  await waitFor(
    async () => (await database.query(`SELECT 1 FROM change WHERE state <> 'done' LIMIT 1`)).rowCount === 0,
    { what: "the first comparisons", timeoutMs: 300_000, signal },
  );
  const objects = await rest.call("listTestObjects");
  /** @param {string} name */
  const idOf = (name) => objects.find((object) => object.name === name)?.id ?? "";

  /** @param {string} name */
  async function compare(name) {
    const began = performance.now();
    const { runId } = await rest.call("startComparison", {
      params: { id: idOf(name) },
      body: { from: { type: "object", testobject_id: idOf("production") } },
    });
    const look = () => rest.call("getReview", { params: { id: runId } });
    let review = await look();
    const firstMs = performance.now() - began;
    while (review.run.state === "running") review = await look();
    return { firstMs, wholeMs: performance.now() - began, review };
  }

  for (const [name, changed] of /** @type {const} */ ([
    ["equal", 0],
    ["staging", differing],
  ])) {
    report.begin(`${pages} pages of two sites, ${changed} differ`);
    await compare(name);
    const first = [];
    const whole = [];
    for (let round = 0; round < rounds; round++) {
      const { firstMs, wholeMs, review } = await compare(name);
      first.push(firstMs);
      whole.push(wholeMs);
      report.equal(`pages that differ, round ${round + 1}`, changed, review.counts.changed);
    }
    report.below("first screen, longest", aimMs, Math.max(...first), "ms", { must: true });
    report.below("whole comparison, longest", aimMs, Math.max(...whole), "ms", { must: changed === 0 });
  }
});
process.exitCode = report.checks.some(({ ok, must }) => must && !ok) ? 1 : 0;
