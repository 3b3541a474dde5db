// @ts-check

/**
 * Returns a compose file that adds a site to the product's network: `http://site:8000/` links to all of its pages, each page answers after 150 ms,
 * and the text of three of them changes once the file /tmp/changed exists.
 * @param {number} pages
 * @returns {string}
 */
export function siteCompose(pages) {
  const program = `
    const { createServer } = require("node:http");
    const { existsSync } = require("node:fs");
    const names = Array.from({ length: ${pages - 1} }, (_, index) => "/p" + index + ".html");
    createServer((request, response) => setTimeout(() => {
      const index = names.indexOf(request.url);
      if (request.url !== "/" && index < 0) return response.writeHead(404).end();
      const links = index < 0 ? names.map((name) => '<a href="' + name + '">x</a>').join("\\n") : "";
      const text = index >= 0 && index < 3 && existsSync("/tmp/changed") ? "changed" : "first";
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Page " + index + "</title>\\n<p>Page " + index + "\\n<p>" + text + "\\n" + links);
    }, 150)).listen(8000);
    process.on("SIGTERM", () => process.exit(0));`;
  return JSON.stringify({
    services: {
      site: {
        image: process.env["NODE_IMAGE"] ?? "node:24-bookworm-slim",
        // Compose would read a single dollar sign as the start of a variable
        command: ["node", "--eval", program.replaceAll("$", "$$$$")],
        networks: ["outward"],
      },
    },
  });
}
