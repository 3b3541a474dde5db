// @ts-check
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";

/** @type {Record<string, string>} */
const contentTypes = {
  ".css": "text/css; charset=utf-8",
  ".gif": "image/gif",
  ".htm": "text/html; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".xml": "application/xml",
};

/**
 * Statistics of the server since its start or the last `resetStats`.
 * @typedef {object} ServeStats
 * @property {number} requests
 * @property {number} inFlight requests without an answer so far
 * @property {number} maxInFlight the most that ever were at once
 * @property {number} bytes of bodies
 * @property {Map<number, number>} byStatus answers by HTTP status
 * @property {Map<string, number>} byPath requests by path, as asked for
 */

/**
 * @typedef {object} ServedSite
 * @property {string} url address of the site, ending in the path it is served at
 * @property {() => string} version the version being served
 * @property {(version: string) => void} setVersion serves another version from the next request on, at the same address
 * @property {() => ServeStats} stats a copy
 * @property {() => void} resetStats
 * @property {() => Promise<void>} close
 */

/**
 * Serves one of several versions of a site on a free loopback port.
 * @param {object} options
 * @param {Record<string, string>} options.roots folder of each version
 * @param {string} [options.version] the version to begin with; the first where left out
 * @param {string} [options.path] where the site begins, with a slash at both ends
 * @param {boolean} [options.etag] whether answers carry an ETag and If-None-Match is answered with 304
 * @param {string} [options.indexFile]
 * @param {string} [options.cover] HTML to be served at `path` itself, instead of the index file there
 * @returns {Promise<ServedSite>}
 */
export async function serveCorpus({ roots, version, path = "/docs/", etag = false, indexFile = "index.html", cover }) {
  let current = "";
  let stats = emptyStats();
  const setVersion = (/** @type {string} */ next) => {
    if (roots[next] === undefined)
      throw new Error(`There is no version ${next} to serve; there are: ${Object.keys(roots).join(", ")}`);
    current = next;
  };
  setVersion(version ?? Object.keys(roots)[0] ?? "");

  const server = createServer((request, response) => {
    const counted = stats;
    counted.requests += 1;
    counted.inFlight += 1;
    counted.maxInFlight = Math.max(counted.maxInFlight, counted.inFlight);
    response.once("close", () => (counted.inFlight -= 1));
    void answer(request, { root: resolve(roots[current] ?? ""), path, etag, indexFile, cover })
      .catch((/** @type {unknown} */ error) => ({ status: 500, headers: {}, body: Buffer.from(String(error)) }))
      .then(({ status, headers, body }) => {
        count(counted.byStatus, status);
        count(counted.byPath, request.url ?? "");
        counted.bytes += body.length;
        response.writeHead(status, { ...headers, ...(status === 304 ? {} : { "content-length": body.length }) });
        response.end(request.method === "HEAD" ? undefined : body);
      });
  });
  await new Promise((done, failed) => server.once("error", failed).listen(0, "127.0.0.1", () => done(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The site's server has no port");
  return {
    url: `http://127.0.0.1:${address.port}${path}`,
    version: () => current,
    setVersion,
    stats: () => ({ ...stats, byStatus: new Map(stats.byStatus), byPath: new Map(stats.byPath) }),
    resetStats: () => void (stats = emptyStats()),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/**
 * Serves a folder without versions.
 * @param {string} folder
 * @param {{ path?: string, etag?: boolean, indexFile?: string }} [options]
 */
export function serveFolder(folder, options = {}) {
  return serveCorpus({ ...options, path: options.path ?? "/", roots: { only: folder } });
}

/**
 * Answers with the file that a path names, or a redirect from a folder to its address with a slash.
 * @param {import("node:http").IncomingMessage} request
 * @param {{ root: string, path: string, etag: boolean, indexFile: string, cover: string | undefined }} site
 * @returns {Promise<{ status: number, headers: Record<string, string>, body: Buffer }>}
 */
async function answer(request, { root, path, etag, indexFile, cover }) {
  if (request.method !== "GET" && request.method !== "HEAD")
    return text(405, "Only GET and HEAD are answered here.", { allow: "GET, HEAD" });
  const pathname = (request.url ?? "/").split("?", 1)[0] ?? "/";
  const inside = pathname.startsWith(path) ? decode(pathname.slice(path.length)) : undefined;
  if (inside === undefined) return notFound(pathname);
  const file = resolve(root, `.${sep}${inside}`);
  if (file !== root && !file.startsWith(root + sep)) return notFound(pathname);
  try {
    const isFolder = inside === "" || inside.endsWith("/");
    const body =
      inside === "" && cover !== undefined
        ? Buffer.from(cover)
        : await readFile(isFolder ? join(file, indexFile) : file);
    const type = contentTypes[extname(isFolder ? indexFile : file).toLowerCase()] ?? "application/octet-stream";
    if (!etag) return { status: 200, headers: { "content-type": type }, body };
    const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
    if (request.headers["if-none-match"]?.includes(tag) === true)
      return { status: 304, headers: { etag: tag }, body: Buffer.alloc(0) };
    return { status: 200, headers: { "content-type": type, etag: tag }, body };
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    if (code === "EISDIR") return text(301, "Moved", { location: `${pathname}/` });
    if (code === "ENOENT" || code === "ENOTDIR") return notFound(pathname);
    throw error;
  }
}

/** @param {string} encoded @returns {string | undefined} */
function decode(encoded) {
  try {
    const decoded = decodeURIComponent(encoded);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** @param {string} pathname */
function notFound(pathname) {
  const shown = pathname.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return {
    status: 404,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: Buffer.from(`<!DOCTYPE html><title>Not found</title><p>There is no ${shown} here.</p>\n`),
  };
}

/** @param {number} status @param {string} message @param {Record<string, string>} headers */
function text(status, message, headers) {
  return {
    status,
    headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
    body: Buffer.from(`${message}\n`),
  };
}

/** @returns {ServeStats} */
function emptyStats() {
  return { requests: 0, inFlight: 0, maxInFlight: 0, bytes: 0, byStatus: new Map(), byPath: new Map() };
}

/** @template K @param {Map<K, number>} counts @param {K} key */
function count(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
