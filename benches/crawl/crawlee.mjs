// @ts-check
/** Crawls with `@crawlee/http` and its in-memory queue, links by htmlparser2; the package is in the folder of `install-crawlee`. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { inScope, readLinks } from "./read-links.mjs";
import { runProgram } from "./program.mjs";

const { HttpCrawler, Configuration, log } = createRequire(join(process.argv[3] ?? "", "package.json"))("@crawlee/http");

await runProgram(async ({ url, concurrency }) => {
  const site = new URL(".", url).href;
  log.setLevel(log.LEVELS.OFF);
  const seen = new Set([url]);
  /** @type {string[]} */
  const pages = [];
  const crawler = new HttpCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      useSessionPool: false,
      maxRequestRetries: 0,
      /** @param {{ request: { url: string, loadedUrl?: string }, body: string | Buffer, contentType: { type: string } }} context */
      async requestHandler({ request, body, contentType }) {
        if (contentType.type !== "text/html") return;
        pages.push(request.url);
        // known links are skipped here, which costs crawlee less than asking its queue about each
        const fresh = inScope(readLinks(String(body)), request.loadedUrl ?? request.url, site).filter(
          (link) => !seen.has(link) && seen.add(link),
        );
        await crawler.addRequests(fresh);
      },
    },
    new Configuration({ persistStorage: false, purgeOnStart: false }),
  );
  await crawler.run([url]);
  return pages;
});
