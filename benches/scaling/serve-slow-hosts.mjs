// @ts-check
import { createServer } from "node:http";
import { once } from "node:events";

/**
 * Serves many hosts, each an address of this machine's loopback network (127.0.1.1 …), with one small site each. Answers
 * are slow by waiting alone, so that many servers cost the machine no CPU time.
 * @param {{ hosts: number, pages: number, answerAfterMs: () => number | Promise<number> }} shape `pages` of each host, the root included
 * @returns {Promise<{ urls: string[], mostInFlight: () => number, close: () => Promise<void> }>}
 */
export async function serveSlowHosts({ hosts, pages, answerAfterMs }) {
  let inFlight = 0;
  let most = 0;
  const links = Array.from({ length: pages - 1 }, (_, index) => `<li><a href="/p${index}.html">${index}</a>`).join(
    "\n",
  );
  const server = createServer((request, response) => {
    most = Math.max(most, ++inFlight);
    response.once("close", () => (inFlight -= 1));
    const path = request.url ?? "/";
    const body =
      path === "/"
        ? `<!doctype html><title>Host</title><ul>${links}</ul>`
        : `<!doctype html><title>${path}</title><p>${request.headers.host} ${path} ${"text ".repeat(200)}`;
    const answer = () => {
      const found = path === "/" || /^\/p\d+\.html$/.test(path);
      response.writeHead(found ? 200 : 404, { "content-type": "text/html" }).end(body);
    };
    void Promise.resolve(answerAfterMs()).then((afterMs) => setTimeout(answer, afterMs));
  });
  server.keepAliveTimeout = 60_000;
  // every address of 127.0.0.0/8 is this machine (Linux)
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    urls: Array.from({ length: hosts }, (_, index) => `http://127.0.1.${index + 1}:${address.port}/`),
    mostInFlight: () => {
      const seen = most;
      most = inFlight;
      return seen;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
