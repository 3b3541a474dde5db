// @ts-check
import { createServer } from "node:http";
import * as zlib from "node:zlib";

/**
 * Answers made to exhaust a fetcher. `ends`: the results that a robust fetcher records, error codes or `done`.
 * @typedef {{ answer: (request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => void, ends: readonly string[] }} Bomb
 */

const MiB = 1024 * 1024;
const html = { "content-type": "text/html; charset=utf-8" };

/** @returns {Record<string, Bomb>} by name */
export function httpBombs() {
  const zeros = Buffer.alloc(32 * MiB, "<p>boom ");
  const gzip = zlib.gzipSync(zeros);
  const brotli = zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } });
  const zstd = zlib.zstdCompressSync(zeros);
  const wideWindow = zlib.zstdCompressSync(zeros, { params: { [zlib.constants.ZSTD_c_windowLog]: 27 } });
  const packed = (/** @type {string} */ coding, /** @type {Buffer} */ body) =>
    whole(body, { ...html, "content-encoding": coding });
  const broken = gzip.subarray(0, gzip.length >> 1);
  return {
    gzip: { answer: packed("gzip", gzip), ends: ["too_large"] },
    deflate: { answer: packed("deflate", zlib.deflateSync(zeros)), ends: ["too_large"] },
    brotli: { answer: packed("br", brotli), ends: ["too_large"] },
    zstd: { answer: packed("zstd", zstd), ends: ["too_large"] },
    "zstd-wide-window": { answer: packed("zstd", wideWindow), ends: ["too_large", "encoding_broken"] },
    "gzip-in-gzip": { answer: packed("gzip, gzip", zlib.gzipSync(gzip)), ends: ["too_large"] },
    "zstd-in-brotli": { answer: packed("zstd, br", zlib.brotliCompressSync(zstd)), ends: ["too_large"] },
    "many-codings": { answer: packed(Array(50).fill("gzip").join(", "), gzip), ends: ["encoding_unsupported"] },
    "endless-gzip": { answer: endlessGzip, ends: ["too_large"] },
    "cut-gzip": { answer: packed("gzip", broken), ends: ["encoding_broken", "too_large"] },
    "gzip-of-many-members": {
      answer: packed("gzip", Buffer.concat(Array(20_000).fill(zlib.gzipSync("<p>member")))),
      ends: ["done", "encoding_broken"],
    },
    endless: { answer: endless, ends: ["too_large"] },
    announced: { answer: announced, ends: ["too_large"] },
    drip: { answer: drip, ends: ["timed_out"] },
    "drip-packed": { answer: dripPacked, ends: ["timed_out"] },
    "drip-headers": { answer: dripHeaders, ends: ["timed_out"] },
    silent: { answer: () => {}, ends: ["timed_out"] },
    "huge-header": { answer: raw([`X-Big: ${"a".repeat(10 * MiB)}`]), ends: ["too_large"] },
    "endless-header": { answer: endlessHeader, ends: ["too_large"] },
    "many-headers": {
      answer: raw(Array.from({ length: 100_000 }, (_, index) => `X-${index}: 1`)),
      ends: ["too_large"],
    },
    "many-empty-headers": {
      answer: raw(Array.from({ length: 9_000 }, (_, index) => `${index.toString(36)}:`)),
      ends: ["done", "too_large"],
    },
    "redirect-loop": { answer: redirect, ends: ["too_many_redirects", "redirect_loop"] },
    nested: { answer: whole("<!doctype html><title>Nested</title>" + "<div>".repeat(100_000)), ends: ["done"] },
    "nested-tables": {
      answer: whole("<!doctype html><title>Tables</title>" + "<table><tr><td>".repeat(100_000)),
      ends: ["done"],
    },
    "nested-formats": {
      answer: whole("<!doctype html><title>Formats</title>" + "<b><i><a href=x>".repeat(100_000)),
      ends: ["done"],
    },
    "open-tag": { answer: whole("<!doctype html><a " + 'a="'.repeat(300_000)), ends: ["done"] },
    "many-attributes": {
      answer: whole(
        `<!doctype html><p ${Array.from({ length: 100_000 }, (_, index) => `a${index}="${index}"`).join(" ")}>`,
      ),
      ends: ["done"],
    },
    "open-comments": { answer: whole("<!doctype html>" + "<!--".repeat(500_000)), ends: ["done"] },
    "one-line": { answer: whole(`<!doctype html><p>${"word ".repeat(1_900_000)}`), ends: ["done"] },
  };
}

/**
 * Serves these bombs, each at `/<name>`, beside good pages at `/good/<number>`.
 * @param {Record<string, Bomb>} bombs
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serveBombs(bombs) {
  const good = (/** @type {string} */ path) =>
    `<!doctype html><title>Good</title><p>${path}</p>${"<p>A line of a good page.</p>\n".repeat(300)}`;
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    response.on("error", () => {});
    const bomb = bombs[path.slice(1).replace(/\?.*/, "")];
    if (bomb !== undefined) bomb.answer(request, response);
    else if (path === "/" || path.startsWith("/good/")) response.writeHead(200, html).end(good(path));
    else response.writeHead(404, html).end();
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The site has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** @param {string | Buffer} body @param {Record<string, string>} [headers] @returns {Bomb["answer"]} */
function whole(body, headers = html) {
  return (_request, response) => response.writeHead(200, headers).end(body);
}

/** Returns a raw answer that Node's server would not write itself. @param {readonly string[]} lines @returns {Bomb["answer"]} */
function raw(lines) {
  const text = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n${lines.join("\r\n")}\r\n\r\nok`;
  return ({ socket }) => {
    socket.on("error", () => {});
    socket.end(text, "latin1");
  };
}

/** Sends one piece after the other as long as the other side reads. @param {import("node:stream").Writable} to @param {Buffer | string} piece */
function pour(to, piece) {
  to.on("error", () => {});
  const write = () => {
    for (let more = true; more && !to.destroyed;) more = to.write(piece);
  };
  to.on("drain", write);
  write();
}

/** Sends a small piece every 50 ms. @param {import("node:stream").Writable} to @param {() => Buffer | string} next */
function dripInto(to, next) {
  to.on("error", () => {});
  const timer = setInterval(() => (to.destroyed ? clearInterval(timer) : to.write(next())), 50);
  to.once("close", () => clearInterval(timer));
}

/** @type {Bomb["answer"]} */
function endless(_request, response) {
  response.writeHead(200, html);
  pour(response, Buffer.alloc(64 * 1024, "<p>more"));
}

/** @type {Bomb["answer"]} */
function endlessGzip(_request, response) {
  response.writeHead(200, { ...html, "content-encoding": "gzip" });
  const packing = zlib.createGzip();
  packing.on("error", () => {}).pipe(response);
  response.once("close", () => packing.destroy());
  pour(packing, Buffer.alloc(64 * 1024, "<p>more"));
}

/** @type {Bomb["answer"]} */
function announced(_request, response) {
  response.writeHead(200, { ...html, "content-length": String(4 * 1024 * MiB) });
  pour(response, Buffer.alloc(64 * 1024, "<p>more"));
}

/** @type {Bomb["answer"]} */
function drip(_request, response) {
  response.writeHead(200, html);
  dripInto(response, () => "<p>x");
}

/** @type {Bomb["answer"]} */
function dripPacked(_request, response) {
  response.writeHead(200, { ...html, "content-encoding": "gzip" });
  const packing = zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH });
  packing.on("error", () => {}).pipe(response);
  response.once("close", () => packing.destroy());
  dripInto(packing, () => "<p>x");
}

/** @type {Bomb["answer"]} */
function dripHeaders({ socket }) {
  let count = 0;
  socket.write("HTTP/1.1 200 OK\r\n");
  dripInto(socket, () => `X-${count++}: 1\r\n`);
}

/** @type {Bomb["answer"]} */
function endlessHeader({ socket }) {
  socket.write("HTTP/1.1 200 OK\r\nX-Big: ");
  pour(socket, Buffer.alloc(64 * 1024, "a"));
}

/** @type {Bomb["answer"]} */
function redirect(_request, response) {
  response.writeHead(302, { location: `/redirect-loop` }).end();
}
