import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { createRandom } from "./random.ts";

/** The site that every round crawls and fetches. Its set of pages never changes; their texts change from version to version. */
export interface ChangingSite {
  /** Address of the root, ending in a slash. */
  url: string;
  version(): number;
  /** Publishes the next version, in which about a third of the pages have another text. */
  change(): void;
  /** SHA-256 (hex) of the current HTML at a path, after redirects; undefined where no HTML page is served with success. */
  hashOf(path: string): string | undefined;
  close(): Promise<void>;
}

const pagesOfSection = 20;
/** One page in this many changes with each version. */
const changing = 3;
/** The delay of each response, so that a run over all pages lasts some seconds and a fault can hit it. */
const usualDelayMs = 50;

type Kind = "page" | "gone" | "broken" | "moved" | "slow" | "file";

/** @param pages the least number of pages, @param seed for their texts */
export async function startChangingSite(pages: number, seed: string): Promise<ChangingSite> {
  let version = 1;
  const paths = namesOf(pages);
  const kinds = new Map(paths.map((path, index) => [path, kindOf(index)]));
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const kind = kinds.get(path);
    const delayMs = kind === "slow" ? 1_200 : kind === undefined ? 1 : usualDelayMs;
    setTimeout(() => answer(path, kind, response), delayMs);
  });
  server.keepAliveTimeout = 60_000;

  const textOf = (path: string) =>
    path.endsWith("-new.html")
      ? pageText(path, 1, [], seed)
      : pageText(path, versionOf(path, version, seed), paths, seed);

  function answer(path: string, kind: Kind | undefined, response: ServerResponse): void {
    const html = { "content-type": "text/html; charset=utf-8" };
    if (path.endsWith("-new.html")) response.writeHead(200, html).end(textOf(path));
    else if (kind === undefined) sendAsset(path, version, response);
    else if (kind === "gone") response.writeHead(404, html).end("<title>Not here</title>");
    else if (kind === "broken") response.writeHead(410, html).end("<title>Never again</title>");
    else if (kind === "moved") response.writeHead(302, { location: targetOf(path) }).end();
    else if (kind === "file") response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.4 no page");
    else response.writeHead(200, html).end(textOf(path));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The site has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    version: () => version,
    change: () => void version++,
    hashOf(path) {
      const kind = kinds.get(path);
      const shown = kind === "moved" ? targetOf(path) : path;
      return kind === "page" || kind === "slow" || kind === "moved" || path.endsWith("-new.html")
        ? createHash("sha256").update(textOf(shown)).digest("hex")
        : undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function namesOf(pages: number): string[] {
  const sections = Math.ceil((pages - 1) / (pagesOfSection + 1));
  return [
    "/",
    ...Array.from({ length: sections }, (_, section) => [
      `/s${section}.html`,
      ...Array.from({ length: pagesOfSection }, (_unused, page) => `/s${section}-p${page}.html`),
    ]).flat(),
  ];
}

function kindOf(index: number): Kind {
  if (index % 71 === 70) return "gone";
  if (index % 97 === 96) return "broken";
  if (index % 59 === 58 && index % 21 !== 1) return "moved";
  if (index % 83 === 82) return "slow";
  return index % 113 === 112 ? "file" : "page";
}

/** The target of a moved page's redirect: a page of its own that nothing links to. */
const targetOf = (path: string) => path.replace(".html", "-new.html");

/** The newest version, up to `version`, in which this page changed. */
function versionOf(path: string, version: number, seed: string): number {
  for (let at = version; at > 1; at--) if (createRandom(`${seed} ${path} ${at}`).whole(1, changing) === 1) return at;
  return 1;
}

function pageText(path: string, version: number, paths: readonly string[], seed: string): string {
  const own = /^\/s(\d+)\.html$/.exec(path)?.[1];
  const linked =
    path === "/"
      ? paths.filter((other) => /^\/s\d+\.html$/.test(other))
      : own === undefined
        ? ["/"]
        : paths.filter((other) => other.startsWith(`/s${own}-`));
  const random = createRandom(`${seed} ${path}`);
  const lines = Array.from({ length: 25 }, (_, line) => `<p>Line ${line} of ${path}: ${random.whole(1, 1e9)}`);
  lines[random.whole(0, 24)] =
    `<p>What is new in version ${version}: ${createRandom(`${path} ${version}`).whole(1, 1e9)}`;
  const section = /^\/s(\d+)/.exec(path)?.[1] ?? "0";
  return [
    `<!doctype html><title>${path}</title>`,
    `<link rel="stylesheet" href="/main.css"><img src="/i${section}.png" alt="">`,
    ...lines,
    ...linked.map((other) => `<a href="${other}">${other}</a>`),
  ].join("\n");
}

/** Sends the style sheet that all pages share, or the picture of a section; the pictures change with every fifth version. */
function sendAsset(path: string, version: number, response: ServerResponse): void {
  if (path === "/main.css") response.writeHead(200, { "content-type": "text/css" }).end("p { color: #333 }\n");
  else if (/^\/i\d+\.png$/.test(path))
    response
      .writeHead(200, { "content-type": "image/png" })
      .end(Buffer.from(`\x89PNG\r\n\x1a\n${path} ${Math.floor(version / 5)}`, "latin1"));
  else response.writeHead(404, { "content-type": "text/html" }).end("<title>Not here</title>");
}
