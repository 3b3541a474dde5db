// @ts-check
/** Measures the way from the home page to "what changed since yesterday": clicks, and the time from the click until the changes are on the screen. */
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { launchBrowser } from "../lib/launch-browser.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const usage = `npm run bench -- yesterday [--objects 200] [--rounds 5]

Fetches so many test objects, of which every fourth changed, and goes from the home page to the changes, on a desktop and a phone. Home is loaded without a
cache each time. CHROMIUM_PATH names the browser, else an installed one is taken.`;
const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "200" },
    rounds: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});
const [objects, rounds] = [Number(values.objects), Number(values.rounds)];
if (values.help || !(objects >= 1 && rounds >= 1)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}
const pagesOfEach = 3;
let edition = "first";

const server = createServer((request, response) => {
  const [, folder = "", page = ""] = (request.url ?? "/").split("/");
  const isChanged = Number(folder) % 4 === 0;
  const links = Array.from(
    { length: pagesOfEach - 1 },
    (_, index) => `<a href="/${folder}/${index}.html">${index}</a>`,
  );
  response
    .writeHead(/^\d+$/.test(folder) ? 200 : 404, { "content-type": "text/html" })
    .end(`<title>${page || "Start"}</title>\n<p>${isChanged ? edition : "always"}\n${links.join("\n")}`);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const port = /** @type {import("node:net").AddressInfo} */ (server.address()).port;
const signal = benchSignal(9 * 60_000);

/** @param {import("../lib/rest-client.mjs").RestClient} rest */
async function settled(rest) {
  await waitFor(
    async () => {
      const list = await rest.call("listTestObjects");
      const bars = list.flatMap(({ progress }) => Object.values(progress));
      return bars.length > 0 && bars.every(({ running }) => !running) ? true : undefined;
    },
    { what: "the end of all runs", timeoutMs: 240_000, signal },
  );
}

/** @param {number[]} times */
const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

const browser = await launchBrowser();
try {
  await withProduct({ signal }, async ({ address, rest }) => {
    /** @type {string[]} */
    const ids = [];
    for (let number = 0; number < objects; number++) {
      const url = `http://127.0.0.1:${port}/${number}/`;
      ids.push((await rest.call("createTestObject", { body: { name: `Site ${number}`, url } })).id);
    }
    for (const id of ids) await rest.call("crawl", { params: { id } });
    await settled(rest);
    for (edition of ["first", "second"]) {
      for (const id of ids) await rest.call("snapshotAll", { params: { id } });
      await settled(rest);
    }
    console.log(`${ids.length} objects of ${pagesOfEach} pages, fetched twice`);
    for (const [name, width, height] of /** @type {const} */ ([
      ["desktop", 1280, 800],
      ["phone", 390, 844],
    ])) {
      /** @type {{ home: number, changes: number }[]} */
      const taken = [];
      for (let round = 0; round < rounds; round++) {
        const context = await browser.newContext({
          baseURL: address,
          viewport: { width, height },
          reducedMotion: "reduce",
        });
        const page = await context.newPage();
        const begun = performance.now();
        await page.goto("/");
        const link = page.getByRole("link", { name: `${pagesOfEach} to review`, exact: true }).first();
        await link.waitFor();
        const there = performance.now();
        const box = await link.boundingBox();
        if (round === 0)
          console.log(`${name}: the first link to what changed stands at ${Math.round(box?.y ?? -1)} px of ${height}`);
        await page.waitForLoadState("networkidle");
        const clicked = performance.now();
        await link.click();
        await page.getByRole("heading", { name: `${pagesOfEach} changed pages to review` }).waitFor();
        await page.getByText("second").first().waitFor();
        taken.push({ home: there - begun, changes: performance.now() - clicked });
        await context.close();
      }
      console.log(
        `${name}: home ${Math.round(median(taken.map(({ home }) => home)))} ms, then 1 click and ${Math.round(median(taken.map(({ changes }) => changes)))} ms ` +
          `(median of ${rounds}; longest ${Math.round(Math.max(...taken.map(({ changes }) => changes)))} ms)`,
      );
    }
  });
} finally {
  await browser.close();
  server.close();
}
