// @ts-check
import { createServer } from "node:http";

const childrenPerPage = 10;
const filler = "<p>Every page of this site is made when it is asked for, and looks like one of a manual.</p>\n".repeat(
  40,
);

/**
 * Serves a site of any number of pages, generated on request: a tree of ten links per page, with links to the neighbours,
 * the parent and the same twenty pages everywhere, as in menus.
 * @param {number} pages
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serveLargeSite(pages) {
  const server = createServer((request, response) => {
    const number = /^\/site\/(?:page-(\d+)\.html)?$/.exec(request.url ?? "");
    const page = number === null ? Number.NaN : Number(number[1] ?? 0);
    const isThere = page < pages;
    const body = Buffer.from(isThere ? makePage(page, pages) : "<!DOCTYPE html><title>Not found</title>");
    response.writeHead(isThere ? 200 : 404, {
      "content-type": "text/html; charset=utf-8",
      "content-length": body.length,
    });
    response.end(body);
  });
  await new Promise((done, failed) => server.once("error", failed).listen(0, "127.0.0.1", () => done(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The site's server has no port");
  return {
    url: `http://127.0.0.1:${address.port}/site/`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** @param {number} page @param {number} pages */
function makePage(page, pages) {
  const near = [page - 1, page + 1, Math.floor((page - 1) / childrenPerPage)];
  const below = Array.from({ length: childrenPerPage }, (_, index) => page * childrenPerPage + index + 1);
  const menu = Array.from({ length: 20 }, (_, index) => index + 1);
  const links = [...menu, ...near, ...below].filter((other) => other > 0 && other < pages);
  const list = links.map((other) => `<li><a href="page-${other}.html">Page ${other}</a></li>`).join("\n");
  return `<!DOCTYPE html>\n<html><head><title>Page ${page}</title></head><body><h1>Page ${page}</h1>\n<ul>${list}</ul>\n${filler}</body></html>\n`;
}
