// @ts-check
/** Fetches with `@crawlee/http` and its in-memory queue, and stores nothing; the package is in the folder of `install-crawlee`. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { runProgram } from "../crawl/program.mjs";

const [, , , list = "", folder = ""] = process.argv;
const { HttpCrawler, Configuration, log } = createRequire(join(folder, "package.json"))("@crawlee/http");

await runProgram(async ({ concurrency }) => {
  log.setLevel(log.LEVELS.OFF);
  /** @type {string[]} */
  const pages = [];
  const crawler = new HttpCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      useSessionPool: false,
      maxRequestRetries: 0,
      /** @param {{ request: { url: string } }} context */
      async requestHandler({ request }) {
        pages.push(request.url);
      },
    },
    new Configuration({ persistStorage: false, purgeOnStart: false }),
  );
  await crawler.run(JSON.parse(await readFile(list, "utf8")));
  return pages;
});
