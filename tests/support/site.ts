import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** A page of a test site: HTML text, or a function that answers itself. */
export type Page = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A site on a loopback port whose pages can change at any time. */
export interface Site {
  /** Address of the root, ending in a slash. */
  url: string;
  pages: Map<string, Page>;
  /** Paths in the order in which they were requested. */
  requests: string[];
  inFlight(): { now: number; most: number };
  close(): Promise<void>;
}

/**
 * Starts a site.
 * @param pages by path, beginning with a slash
 */
export async function startSite(pages: Record<string, Page>): Promise<Site> {
  const requests: string[] = [];
  const table = new Map(Object.entries(pages));
  let now = 0;
  let most = 0;
  const server: Server = createServer((request, response) => {
    const path = request.url ?? "/";
    requests.push(path);
    most = Math.max(most, ++now);
    response.once("close", () => now--);
    const page = table.get(path);
    if (typeof page === "function") {
      page(request, response);
      return;
    }
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(page ?? "<title>Not here</title>");
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The site has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    pages: table,
    requests,
    inFlight: () => ({ now, most }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Starts sites for one test file on demand, and closes them together at its end. */
export function createSites(): { open(pages: Record<string, Page>): Promise<Site>; close(): Promise<void> } {
  const sites: Site[] = [];
  return {
    async open(pages) {
      const site = await startSite(pages);
      sites.push(site);
      return site;
    },
    async close() {
      await Promise.all(sites.splice(0).map((site) => site.close()));
    },
  };
}

/**
 * Makes pages `/`, `/p0.html` … that are linked like a small manual: each to the next, the root to all.
 * @param text is in every page, so that another text changes every page
 */
export function manual(count: number, text: string): Record<string, string> {
  const names = Array.from({ length: count - 1 }, (_, index) => `/p${index}.html`);
  const links = names.map((name) => `<li><a href="${name}">${name}</a>`).join("\n");
  return {
    "/": `<!doctype html><title>Manual</title>\n<ul>\n${links}\n</ul>\n<p>${text}\n`,
    ...Object.fromEntries(
      names.map((name, index) => [
        name,
        `<!doctype html><title>Chapter ${index}</title>\n<p>Chapter ${index}\n<p>${text}\n<a href="${names[index + 1] ?? "/"}">next</a>\n<a href="/">up</a>\n`,
      ]),
    ),
  };
}

/** Delays the answers, so that a run lasts long enough to be disturbed. */
export function slowly(pages: Record<string, Page>, delayMs: number): Record<string, Page> {
  return Object.fromEntries(
    Object.entries(pages).map(([path, page]) => [
      path,
      (_request, response) => {
        setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(page), delayMs);
      },
    ]),
  );
}
