// @ts-check
/**
 * The programs that the bench compares with: `bare` and `crawlee`. They print `ready` once their browser is warm, wait for
 * the start signal, and print how many pages they loaded.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** @typedef {{ executablePath: string, env: Record<string, string>, urls: string[], warm: string, tabs: number, folder: string }} Task */

/** @type {Task} */
const task = JSON.parse(process.argv[3] ?? "{}");
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const ready = async () => {
  process.stdout.write("ready\n");
  await lines.next();
};
const launchOptions = {
  executablePath: task.executablePath,
  env: { ...process.env, ...task.env },
  headless: true,
  args: ["--disable-dev-shm-usage", "--disable-gpu"],
};
const bring = createRequire(join(task.folder, "package.json"));

/** Loads the pages in a loop over reused tabs, without emptying or keeping anything. */
async function bare() {
  const { chromium } = bring("playwright-core");
  const browser = await chromium.launch(launchOptions);
  const tabs = await Promise.all(
    Array.from({ length: task.tabs }, async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      await page.goto(task.warm);
      return page;
    }),
  );
  await ready();
  let next = 0;
  let bytes = 0;
  await Promise.all(
    tabs.map(async (page) => {
      for (let url = task.urls[next++]; url !== undefined; url = task.urls[next++]) {
        await page.goto(url, { waitUntil: "load" });
        bytes += (await page.content()).length;
      }
    }),
  );
  if (bytes === 0) throw new Error("Nothing was loaded");
  return task.urls.length;
}

/** Loads the pages with PlaywrightCrawler in its default settings, with the same browser. */
async function crawlee() {
  const { PlaywrightCrawler, Configuration, log } = bring("@crawlee/playwright");
  log.setLevel(log.LEVELS.OFF);
  let pages = 0;
  const crawler = new PlaywrightCrawler(
    {
      launchContext: { launchOptions },
      minConcurrency: task.tabs,
      maxConcurrency: task.tabs,
      maxRequestRetries: 0,
      /** @param {{ request: { url: string }, page: { content(): Promise<string> } }} context */
      async requestHandler({ request, page }) {
        const { length } = await page.content();
        if (request.url !== task.warm) {
          if (length > 0) pages += 1;
          return;
        }
        await ready();
        await crawler.addRequests(task.urls);
      },
    },
    new Configuration({ persistStorage: false, purgeOnStart: false }),
  );
  await crawler.run([task.warm]);
  return pages;
}

process.stdout.write(`${await (process.argv[2] === "crawlee" ? crawlee() : bare())}\n`);
await lines.next();
process.exit(0);
