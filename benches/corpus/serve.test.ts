import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { serveCorpus, serveFolder } from "./serve.mjs";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "serve-test-"));
  for (const [path, text] of Object.entries({
    "one/index.html": "<p>one</p>",
    "one/gone.html": "<p>only in one</p>",
    "one/style.css": "p {}",
    "one/part/index.html": "<p>part</p>",
    "two/index.html": "<p>two</p>",
    "secret.html": "outside of both",
  })) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), text);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Sends a request without `fetch`, which would normalise the path first. */
function ask(
  address: string,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; type: string | undefined; body: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const asked = request({ hostname, port, path, ...options }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => (body += text));
      response.once("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers["content-type"],
          body,
          headers: response.headers,
        }),
      );
    });
    asked.once("error", reject).end();
  });
}

test("serves a version, switches at the same address, and counts", async () => {
  const site = await serveCorpus({ roots: { "1": join(folder, "one"), "2": join(folder, "two") } });
  try {
    expect(await ask(site.url, "/docs/")).toMatchObject({
      status: 200,
      body: "<p>one</p>",
      type: "text/html; charset=utf-8",
    });
    expect((await ask(site.url, "/docs/gone.html?a=b")).status).toBe(200);
    expect(site.stats()).toMatchObject({ requests: 2, maxInFlight: 1 });
    site.setVersion("2");
    site.resetStats();
    expect((await ask(site.url, "/docs/index.html")).body).toBe("<p>two</p>");
    expect((await ask(site.url, "/docs/gone.html")).status).toBe(404);
    expect(site.version()).toBe("2");
    expect(site.stats()).toMatchObject({
      requests: 2,
      byStatus: new Map([
        [200, 1],
        [404, 1],
      ]),
    });
    expect(() => site.setVersion("3")).toThrow("There is no version 3 to serve; there are: 1, 2");
  } finally {
    await site.close();
  }
});

test.each([
  ["/docs/style.css", 200, "text/css; charset=utf-8"],
  ["/docs/part", 301, "text/plain; charset=utf-8"],
  ["/docs/part/", 200, "text/html; charset=utf-8"],
  ["/docs/index.html/", 404, "text/html; charset=utf-8"],
  ["/robots.txt", 404, "text/html; charset=utf-8"],
  ["/docs/../secret.html", 404, "text/html; charset=utf-8"],
  ["/docs/../../secret.html", 404, "text/html; charset=utf-8"],
  ["/docs/%2e%2e/secret.html", 404, "text/html; charset=utf-8"],
  ["/docs/%00", 404, "text/html; charset=utf-8"],
  ["/docs/%zz", 404, "text/html; charset=utf-8"],
])("answers %s with %i", async (path, status, type) => {
  const site = await serveCorpus({ roots: { "1": join(folder, "one") } });
  try {
    expect(await ask(site.url, path)).toMatchObject({ status, type });
  } finally {
    await site.close();
  }
});

test("only reads, and answers If-None-Match where ETags are on", async () => {
  const site = await serveFolder(join(folder, "one"), { etag: true });
  try {
    expect((await ask(site.url, "/index.html", { method: "POST" })).status).toBe(405);
    expect(await ask(site.url, "/index.html", { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
    const { headers } = await ask(site.url, "/index.html");
    expect(await ask(site.url, "/index.html", { headers: { "if-none-match": String(headers["etag"]) } })).toMatchObject(
      { status: 304, body: "" },
    );
    expect((await ask(site.url, "/index.html", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  } finally {
    await site.close();
  }
});
