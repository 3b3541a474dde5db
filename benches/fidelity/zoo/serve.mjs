// @ts-check
import { once } from "node:events";
import { createServer } from "node:http";
import { documents } from "./documents.mjs";
import { navigation } from "./navigation.mjs";
import { seen } from "./seen.mjs";
import { strange } from "./strange.mjs";
import { timing } from "./timing.mjs";
import { visitor } from "./visitor.mjs";

/** Every page of the zoo. */
export const zoo = [...navigation, ...timing, ...seen, ...visitor, ...documents, ...strange];

/**
 * Serves one page on its own port, so that it is a separate site.
 * @param {import("./page.mjs").ZooPage} page
 */
export async function serve({ answers }) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://zoo");
    const found = answers[path.pathname + path.search] ?? answers[path.pathname];
    if (typeof found === "function") found(request, response);
    else if (found === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(found);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The zoo has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
