// @ts-check
import { createHash } from "node:crypto";
import { startLocalServer } from "./local-server.mjs";

/**
 * @typedef {object} SmallSite a site of generated pages, on a loopback port
 * @property {string} url
 * @property {number} pages
 * @property {(page: number) => string} html the present content of a page
 * @property {(count: number) => void} edit changes the text of the first `count` pages
 * @property {() => Promise<void>} close
 */

/**
 * Serves a site whose pages all differ, each with links to ten more, so that a crawl finds them all.
 * @param {number} pages
 * @returns {Promise<SmallSite>}
 */
export async function serveSmallSite(pages) {
  let edition = 0;
  let edited = 0;
  const html = (/** @type {number} */ page) => {
    const links = Array.from({ length: 10 }, (_, at) => page * 10 + at + 1)
      .filter((other) => other < pages)
      .map((other) => `<li><a href="/p/${other}">Page ${other}</a></li>`);
    // some kilobytes that are unique to the page
    const own = Array.from({ length: 40 }, (_, at) => createHash("sha256").update(`${page}/${at}`).digest("hex"));
    const paragraphs = own.map((text) => `<p>${text}</p>`).join("\n");
    const version = page < edited ? edition : 0;
    return `<!doctype html><html lang="en"><title>Page ${page}</title><h1>Page ${page}</h1><ul>${links.join("")}</ul>\n<p>Edition ${version} of page ${page}.</p>\n${paragraphs}</html>`;
  };
  const site = await startLocalServer((request, response) => {
    const path = request.url ?? "/";
    const page = path === "/" ? 0 : Number(/^\/p\/(\d+)$/.exec(path)?.[1] ?? -1);
    if (page < 0 || page >= pages) {
      response.writeHead(404, { "content-type": "text/plain" }).end("There is no such page.");
      return;
    }
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html(page));
  });
  return {
    ...site,
    pages,
    html,
    edit(count) {
      edition += 1;
      edited = count;
    },
  };
}
