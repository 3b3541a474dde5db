// @ts-check
/** Measures whether a snapshot is the page that a person would have seen: a zoo of pages, one page twenty times, wikis behind their login. */
import { parseArgs } from "node:util";
import { createBrowserLoader } from "@web-tester/loader/browser/browser-loader";
import { createBrowserPool } from "@web-tester/loader/browser/browser-pool";
import { createLoader } from "@web-tester/loader/load-page";
import { consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress } from "@web-tester/platform/egress/egress";
import { createFilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import { fetchPages, registerPages } from "../fetch-browser/run-ours.mjs";
import { Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { visitWiki } from "./visit-wiki.mjs";
import { startMediaWiki } from "./media-wiki.mjs";
import { visitByAuto } from "./visit-by-auto.mjs";
import { startWiki } from "./wiki.mjs";
import { judge } from "./zoo/judge.mjs";
import { serve, zoo } from "./zoo/serve.mjs";

const usage = `npm run bench -- fidelity [--times N] [--pages N]

Loads every page of the zoo and tells those that are neither right nor failed in words; then once more with the product in mode auto. Then fetches one page N times (20) with the
product, in the browser, and counts distinct contents and differing pixels. Then, where DokuWiki, MediaWiki and PHP are installed (Debian:
dokuwiki, mediawiki, php-cli, php-sqlite3), signs in at each by steps and fetches N of its pages (40) as the user.`;

const wikis = /** @type {const} */ ([
  ["DokuWiki", startWiki],
  ["MediaWiki", startMediaWiki],
]);

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: {
      times: { type: "string", default: "20" },
      pages: { type: "string", default: "40" },
      help: { type: "boolean", default: false },
    },
  });
  const [times, pages] = [Number(values.times), Number(values.pages)];
  if (values.help || !(times >= 2 && times <= 1_000) || !(pages >= 1 && pages <= 500)) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal(30 * 60_000);
  const report = new Report(console.log);
  await visitZoo(report);
  await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
    await visitByAuto(product, report, signal);
    await fetchAgain(product, times, report, signal);
    for (const [name, start] of wikis) {
      const wiki = await start(pages);
      if (wiki === null) {
        console.log(`${name} is left out: it or PHP is not installed.`);
        continue;
      }
      try {
        await visitWiki(product, wiki, report, signal);
      } finally {
        await wiki.close();
      }
    }
  });
  return report.checks.every(({ ok }) => ok);
}

/** @param {Report} report */
async function visitZoo(report) {
  report.begin("The zoo");
  const policy = createAddressPolicy({ private: "own-host", allow: [], ownAddresses: [] });
  const proxy = createFilteringProxy(policy);
  const chromiumPath = process.env["CHROMIUM_PATH"];
  const pool = createBrowserPool({ chromiumPath, proxy, userAgent: "zoo/1.0", log: () => undefined });
  const egress = createEgress(policy, {});
  const browser = createBrowserLoader(pool);
  const http = createLoader({ egress, userAgent: "zoo/1.0" });
  const visits = zoo.flatMap((page) => ["browser", ...(page.also ?? [])].map((mode) => ({ page, mode })));
  let right = 0;
  let failed = 0;
  const wrong = await Promise.all(
    visits.map(async ({ page, mode }) => {
      const site = await serve(page);
      const request = {
        url: site.url,
        consent: consentFor(new URL(site.url)),
        deadlineMs: page.deadlineMs ?? 25_000,
        asSeen: true,
      };
      const { signal } = new AbortController();
      const result =
        mode === "http"
          ? await http.loadPage(request, signal)
          : await browser.loadPage({ ...request, owner: site.url, enter: async () => () => undefined }, signal);
      await site.close();
      const faults = judge(page, result);
      if (faults.length > 0) return [`${page.name} (${mode}): ${faults.join("; ")}`];
      if (result.kind === "failed") failed += 1;
      else right += 1;
      return [];
    }),
  );
  await Promise.all([pool.close(), egress.close()]);
  await proxy.close();
  for (const line of wrong.flat()) console.log(`    ${line}`);
  console.log(`    ${zoo.length} pages, ${visits.length} visits: ${right} right, ${failed} failed in words`);
  report.equal("visits that are neither right nor failed in words", 0, wrong.flat().length);
}

/** A page that scripts draw: text lines, and a picture on a canvas. */
const still = `<!doctype html><html lang="en"><head><title>Still</title><style>body { font: 16px/1.5 sans-serif; margin: 40px; background: linear-gradient(#fff, #dde) } .card { border-radius: 12px; box-shadow: 0 4px 20px #0003; padding: 24px }</style></head>
<body><h1>The same page, every time</h1><div class="card" id="card"></div><canvas id="drawn" width="300" height="120"></canvas>
<script>
  document.querySelector("#card").innerHTML = Array.from({ length: 40 }, (_, n) => "<p>Line " + n + " of what scripts write.</p>").join("");
  const pen = document.querySelector("#drawn").getContext("2d");
  for (let n = 0; n < 30; n += 1) { pen.fillStyle = "hsl(" + n * 12 + " 70% 50%)"; pen.fillRect(n * 10, 120 - n * 4, 9, n * 4); }
</script></body></html>`;

/** @param {import("../lib/stack.mjs").Product} product @param {number} times @param {Report} report @param {AbortSignal} signal */
async function fetchAgain(product, times, report, signal) {
  report.begin(`One page, ${times} times`);
  const site = await serve({ name: "still", answers: { "/": still } });
  try {
    const id = await registerPages(product, site.url, [site.url]);
    for (let time = 0; time < times; time += 1) await fetchPages(product, id, signal);
    const { rows } = await product.database.query(
      `SELECT s.id, encode(s.content_hash, 'hex') AS hash FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
       WHERE i.test_object_id = $1 AND s.state = 'done' ORDER BY s.id`,
      [id],
    );
    report.equal("snapshots", times, rows.length);
    report.equal("distinct contents", 1, new Set(rows.map(({ hash }) => hash)).size);
    const [first] = rows;
    let unequal = 0;
    for (const { id: other } of rows.slice(1)) {
      const query = { a: first.id, b: other, threshold: 0 };
      const pictures = await product.rest.call("getVisualPictures", { query });
      if (pictures.state !== "compared") throw new Error(`The pictures could not be compared: ${pictures.reason}`);
      unequal += pictures.unequal;
    }
    report.equal("differing pixels", 0, unequal);
  } finally {
    await site.close();
  }
}

process.exitCode = (await main()) ? 0 : 1;
