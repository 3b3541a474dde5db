import { createServer as createTlsServer } from "node:https";
import { createServer, type Server } from "node:http";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createGzip, gzipSync } from "node:zlib";
import type { Page } from "./site.js";

/** A page that is bad in one way, and what the product has to report about it. */
export interface BadPage {
  /** What is wrong with it: the test's title. */
  title: string;
  page: Page;
  /** What is recorded on the snapshot. `done`: the snapshot was taken nevertheless, with a warning. */
  expected:
    | { state: "failed"; code: string; error: RegExp; status: number | null; attempts?: number }
    | { state: "done"; warning: RegExp; html: string | RegExp };
}

const html = { "content-type": "text/html; charset=utf-8" };
const mebibyte = Buffer.alloc(1024 * 1024, "<p>All work and no play makes a very large page.</p>\n");

/** Answers with a status and a short page. */
const status =
  (code: number, headers: Record<string, string> = {}): Page =>
  (_request, response) => {
    response.writeHead(code, { ...html, ...headers }).end(`<title>${code}</title>`);
  };

const redirectTo =
  (location: string): Page =>
  (_request, response) => {
    response.writeHead(302, { location }).end();
  };

/** Answers with the given bytes and headers, unchanged. */
const bytes =
  (body: Buffer | string, headers: Record<string, string>): Page =>
  (_request, response) => {
    response.writeHead(200, headers).end(body);
  };

/** Writes text that is not a valid HTTP answer, or only half of one, and ends the connection. */
const raw =
  (text: string): Page =>
  (_request, { socket }) => {
    socket?.end(text);
  };

/** Sends one byte a second, forever. */
export const drip: Page = (_request, response) => {
  response.writeHead(200, html);
  const timer = setInterval(() => response.write("x"), 1_000);
  response.once("close", () => clearInterval(timer));
};

/** Sends 60 MB as fast as they are read. */
const huge =
  (announced: boolean): Page =>
  (_request, response) => {
    response.writeHead(200, announced ? { ...html, "content-length": String(60 * mebibyte.length) } : html);
    let sent = 0;
    const more = () => {
      while (sent++ < 60) if (!response.write(mebibyte)) return void response.once("drain", more);
      response.end();
    };
    more();
  };

/** Makes a gzip stream of zeros, which is a thousandth of the size of its content. */
async function zipBomb(mebibytes: number): Promise<Buffer> {
  const zip = createGzip({ level: 9 });
  const chunks: Buffer[] = [];
  const done = (async () => {
    for await (const chunk of zip) chunks.push(chunk as Buffer);
  })();
  const zeros = Buffer.alloc(1024 * 1024);
  for (let count = 0; count < mebibytes; count++)
    if (!zip.write(zeros)) await new Promise((drained) => zip.once("drain", drained));
  zip.end();
  await done;
  return Buffer.concat(chunks);
}

const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de", "hex");
const legible = "<!doctype html><title>Ünïcode</title><p>Grüße aus Köln, façade";
const latin1 = Buffer.from(legible, "latin1");

/**
 * Every way in which a page of a site can be bad, by path.
 * @param places.elsewhere address of another site on a private port
 * @param places.product address of the product itself
 */
export async function badPages(places: { elsewhere: string; product: string }): Promise<Record<string, BadPage>> {
  const bomb = await zipBomb(200);
  const failed = (
    title: string,
    page: Page,
    code: string,
    error: RegExp,
    httpStatus: number | null,
    attempts?: number,
  ): BadPage => ({
    title,
    page,
    expected: { state: "failed", code, error, status: httpStatus, ...(attempts === undefined ? {} : { attempts }) },
  });
  const warned = (title: string, page: Page, warning: RegExp, text: string | RegExp): BadPage => ({
    title,
    page,
    expected: { state: "done", warning, html: text },
  });
  return {
    "/404": failed("not found", status(404), "http_status", /answered 404 Not Found.*does not exist/, 404, 1),
    "/410": failed("gone", status(410), "http_status", /410 Gone.*removed/, 410, 1),
    "/401": failed("credentials wanted", status(401), "http_status", /401 Unauthorized.*Options/, 401, 1),
    "/403": failed("access denied", status(403), "http_status", /403 Forbidden/, 403, 1),
    "/500": failed(
      "a fault of the server",
      status(500),
      "http_status_retryable",
      /500 Internal Server Error.*Tried 3 times/,
      500,
      3,
    ),
    "/503": failed(
      "server overloaded",
      status(503, { "retry-after": "1" }),
      "http_status_retryable",
      /503 Service Unavailable.*Tried 3 times/,
      503,
      3,
    ),
    "/799": failed("a status nobody knows", status(799), "http_status_retryable", /799.*nobody has defined/, 799, 3),
    "/304": failed(
      "not modified since never",
      (_request, response) => void response.writeHead(304).end(),
      "http_status",
      /304 Not Modified/,
      304,
      1,
    ),
    "/loop": failed(
      "redirect to itself",
      redirectTo("/loop"),
      "too_many_redirects",
      /loop: .*\/loop → .*\/loop/,
      302,
      1,
    ),
    "/ping": failed(
      "redirect circle of two",
      redirectTo("/pong"),
      "too_many_redirects",
      /loop: .*\/ping → .*\/pong → .*\/ping/,
      302,
      1,
    ),
    "/pong": failed("the other half of the circle", redirectTo("/ping"), "too_many_redirects", /form a loop/, 302, 1),
    "/chain": failed("endless redirects", redirectTo("/chain/1"), "too_many_redirects", /more than 10 times/, 302, 1),
    "/nowhere": failed(
      "redirect without a place",
      (_request, response) => void response.writeHead(302).end(),
      "redirect_invalid",
      /without saying where to/,
      302,
      1,
    ),
    "/file": failed(
      "redirect to a file",
      redirectTo("file:///etc/passwd"),
      "redirect_invalid",
      /starts with file:/,
      302,
      1,
    ),
    "/password": failed(
      "redirect with a password",
      redirectTo("http://user:pass@127.0.0.1/"),
      "redirect_invalid",
      /carries a user name or password/,
      302,
      1,
    ),
    "/elsewhere": failed(
      "redirect to another private port",
      redirectTo(`${places.elsewhere}reachable`),
      "address_refused",
      /refused.*register it as a test object of its own/,
      null,
      1,
    ),
    "/product": failed(
      "redirect to the product itself",
      redirectTo(`${places.product}/api/testobjects`),
      "address_refused",
      /where this product itself listens/,
      null,
      1,
    ),
    "/metadata": failed(
      "redirect to a cloud's metadata",
      redirectTo("http://169.254.169.254/latest/meta-data/"),
      "address_refused",
      /169\.254\.169\.254 was refused.*never fetched/,
      null,
      1,
    ),
    "/cut": failed(
      "body cut off",
      raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<title>Cut"),
      "body_cut_off",
      /before the whole body had arrived.*Tried 3 times/,
      200,
      3,
    ),
    "/chunk": failed(
      "last chunk missing",
      raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<title\r\n"),
      "body_cut_off",
      /before the whole body had arrived/,
      200,
      3,
    ),
    "/framing": failed(
      "chunks of another length than they say",
      raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<title\r\n"),
      "protocol_error",
      /not valid HTTP/,
      200,
      3,
    ),
    "/hangup": failed(
      "connection closed without an answer",
      raw(""),
      "connection_failed",
      /closed the connection before it answered.*Tried 3 times/,
      null,
      3,
    ),
    "/gibberish": failed(
      "no HTTP at all",
      raw("+OK POP3 server ready\r\n\r\n"),
      "protocol_error",
      /not valid HTTP/,
      null,
      3,
    ),
    "/huge": failed("60 MB", huge(false), "too_large", /larger than 10 MiB/, 200, 1),
    "/announced": failed("60 MB, said beforehand", huge(true), "too_large", /larger than 10 MiB/, 200, 1),
    "/bomb": failed(
      "gzip bomb",
      bytes(bomb, { ...html, "content-encoding": "gzip" }),
      "too_large",
      /larger than 10 MiB/,
      200,
      1,
    ),
    "/bomb-in-bomb": failed(
      "gzip bomb in gzip",
      bytes(gzipSync(bomb), { ...html, "content-encoding": "gzip, gzip" }),
      "too_large",
      /larger than 10 MiB/,
      200,
      1,
    ),
    "/layers": failed(
      "packed too often",
      bytes(gzipSync(legible), { ...html, "content-encoding": "gzip, gzip, gzip" }),
      "encoding_unsupported",
      /packed 3 times/,
      200,
      1,
    ),
    "/damaged": failed(
      "damaged gzip",
      bytes(gzipSync(legible.repeat(50)).subarray(0, 60), { ...html, "content-encoding": "gzip" }),
      "encoding_broken",
      /cannot be decompressed/,
      200,
      1,
    ),
    "/unasked": failed(
      "a coding that was not asked for",
      bytes(Buffer.from("\x5d\0\0\x80\0".repeat(20), "latin1"), { ...html, "content-encoding": "x-lzma" }),
      "encoding_unsupported",
      /“x-lzma”/,
      200,
      1,
    ),
    "/long-header": failed(
      "too many headers",
      bytes(legible, { ...html, "x-long": "x".repeat(100_000) }),
      "too_large",
      /64 KiB of headers/,
      null,
      1,
    ),
    "/picture": failed(
      "a picture that says it is HTML",
      bytes(png, html),
      "not_html",
      /labelled as HTML.*binary file/,
      200,
      1,
    ),
    "/pdf": failed(
      "a PDF",
      bytes("%PDF-1.7", { "content-type": "application/pdf" }),
      "not_html",
      /application\/pdf instead of an HTML page/,
      200,
      1,
    ),
    "/untyped": failed("a picture without a type", bytes(png, {}), "not_html", /instead of an HTML page/, 200, 1),
    "/mislabelled": warned(
      "a charset in place of a coding",
      bytes(legible, { ...html, "content-encoding": "utf-8" }),
      /packed as “utf-8”, which is no coding/,
      legible,
    ),
    "/latin1": warned(
      "Latin-1 labelled as UTF-8",
      bytes(latin1, html),
      /says the text is in UTF-8, but it is not/,
      legible,
    ),
    "/utf8": warned(
      "UTF-8 labelled as Latin-1",
      bytes(legible, { "content-type": "text/html; charset=iso-8859-1" }),
      /valid UTF-8/,
      /GrÃ¼ÃŸe/,
    ),
    "/klingon": warned(
      "a charset that does not exist",
      bytes(legible, { "content-type": "text/html; charset=klingon" }),
      /"klingon", which does not exist/,
      legible,
    ),
    "/empty": failed(
      "an empty body",
      bytes("", html),
      "empty_document",
      /is empty: a visitor would see nothing/,
      200,
      3,
    ),
  };
}

/** The pages of the redirect chain that `/chain` leads to. */
export const chain: Record<string, Page> = Object.fromEntries(
  Array.from({ length: 12 }, (_, step) => [`/chain/${step + 1}`, redirectTo(`/chain/${step + 2}`)]),
);

/** Starts a server, made by a test, on a loopback port. */
async function listening(server: Server, scheme: string): Promise<{ url: string; close(): Promise<void> }> {
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    url: `${scheme}://127.0.0.1:${address.port}/`,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

/** Starts a site whose certificate is not trusted. */
export async function startUntrustedSite() {
  const { key, cert }: { key: string; cert: string } = JSON.parse(
    await readFile(resolve(import.meta.dirname, "../../packages/loader/src/test-certificate.json"), "utf8"),
  );
  return listening(
    createTlsServer({ key, cert }, (_request, response) => void response.writeHead(200, html).end(legible)),
    "https",
  );
}

/** Returns an address where nothing listens: its port was free a moment ago. */
export async function closedAddress(): Promise<string> {
  const server = await listening(createServer(), "http");
  await server.close();
  return server.url;
}
