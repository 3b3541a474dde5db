// @ts-check
import { createHash } from "node:crypto";
import { startLocalServer } from "../lib/local-server.mjs";

const childrenPerPage = 10;

/**
 * @typedef {object} ChangingSite
 * @property {string} url
 * @property {() => number} change begins the next edition; returns how many pages it changed
 * @property {() => Promise<void>} close
 */

/**
 * Serves a site of any number of pages, generated on request, a share of which changes with each edition. It answers
 * conditional requests. Every page has some lines that no other has, and all contain the word `handbook`.
 * @param {number} pages
 * @param {number} share of the pages that an edition changes, 0 to 1
 * @returns {Promise<ChangingSite>}
 */
export async function serveChangingSite(pages, share) {
  /** How often each page has changed. */
  const versions = new Uint8Array(pages);
  let edition = 0;
  const site = await startLocalServer((request, response) => {
    const page = request.url === "/" ? 0 : Number(/^\/(?:\d+\/)?p(\d+)$/.exec(request.url ?? "")?.[1] ?? Number.NaN);
    if (!(page < pages)) {
      response.writeHead(404, { "content-type": "text/plain" }).end("There is no such page.");
      return;
    }
    const etag = `"${page}-${versions[page]}"`;
    if (request.headers["if-none-match"] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    const body = Buffer.from(makePage(page, pages, versions[page] ?? 0));
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-length": body.length, etag });
    response.end(body);
  });
  return {
    ...site,
    change() {
      edition += 1;
      let changed = 0;
      for (let page = 0; page < pages; page += 1) {
        if (digest(`${edition}/${page}`).readUInt32BE(0) / 2 ** 32 >= share) continue;
        versions[page] = (versions[page] ?? 0) + 1;
        changed += 1;
      }
      return changed;
    },
  };
}

/** @param {number} page */
const addressOf = (page) => (page === 0 ? "/" : `/${Math.floor(page / 100)}/p${page}`);

/** @param {string} text */
const digest = (text) => createHash("sha256").update(text).digest();

/** Returns a word that no other page or version has. @param {number} page @param {number} version */
export function rareWord(page, version) {
  return `w${digest(`${page} ${version}`).toString("hex").slice(0, 14)}`;
}

/** @param {number} page @param {number} pages @param {number} version */
function makePage(page, pages, version) {
  const links = Array.from({ length: childrenPerPage }, (_, at) => page * childrenPerPage + at + 1)
    .filter((other) => other < pages)
    .map((other) => `<li><a href="${addressOf(other)}">Part ${other}</a></li>`);
  const own = digest(String(page)).toString("hex");
  const paragraphs = Array.from({ length: 12 }, (_, at) => {
    const word = own.slice(at * 4, at * 4 + 4);
    return `<p>Paragraph ${at} of part ${page} of the handbook tells of ${word} and how it is kept, moved and looked after.</p>`;
  });
  // at another place each time, as editors do it
  paragraphs.splice(version % 12, 0, `<p>Edition ${version}, looked through by ${rareWord(page, version)}.</p>`);
  return `<!doctype html>\n<html lang="en"><head><title>Part ${page}</title></head><body><h1>Part ${page}</h1>\n<ul>${links.join("\n")}</ul>\n${paragraphs.join("\n")}\n</body></html>\n`;
}
