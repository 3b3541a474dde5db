// @ts-check
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Starts a server for a bench, on a free port of this machine.
 * @param {import("node:http").RequestListener} answer
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `url` ends with a slash
 */
export async function startLocalServer(answer) {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The site listens nowhere");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
