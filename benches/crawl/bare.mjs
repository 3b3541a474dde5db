// @ts-check
/** A minimal crawler: an undici pool, a set of addresses, and htmlparser2 or the product's own scanner for the links. */
import { Pool } from "undici";
import { scanLinks } from "@web-tester/html/links/scan-links";
import { inScope, readLinks } from "./read-links.mjs";
import { runProgram } from "./program.mjs";

const linksOf =
  process.argv[3] === "scanner"
    ? (/** @type {string} */ html) => scanLinks(html).links.map((link) => link.href)
    : readLinks;

await runProgram(async ({ url, concurrency }) => {
  const site = new URL(".", url).href;
  const pool = new Pool(new URL(url).origin, { connections: concurrency });
  const seen = new Set([url]);
  const queue = [url];
  /** @type {string[]} */
  const pages = [];
  let underWay = 0;
  const { promise, resolve, reject } = Promise.withResolvers();
  const visit = async (/** @type {string} */ address) => {
    const { pathname, search } = new URL(address);
    const { statusCode, headers, body } = await pool.request({ path: pathname + search, method: "GET" });
    const isPage = statusCode === 200 && String(headers["content-type"]).startsWith("text/html");
    if (!isPage) return body.dump();
    const html = await body.text();
    pages.push(address);
    for (const link of inScope(linksOf(html), address, site)) {
      if (seen.has(link)) continue;
      seen.add(link);
      queue.push(link);
    }
  };
  const start = () => {
    if (underWay === 0 && queue.length === 0) resolve(undefined);
    for (; underWay < concurrency && queue.length > 0; underWay += 1) {
      void visit(queue.shift() ?? "")
        .then(() => {
          underWay -= 1;
          start();
        })
        .catch(reject);
    }
  };
  start();
  await promise;
  await pool.close();
  return pages;
});
