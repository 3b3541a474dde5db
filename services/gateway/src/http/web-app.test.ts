import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import express from "express";
import { cacheRule, isNavigation, webApp } from "./web-app.js";

const html = "text/html,application/xhtml+xml,*/*;q=0.8";

test.each([
  ["GET", "/", html, true],
  ["GET", "/", "*/*", true], // what curl sends
  ["HEAD", "/objects/1", html, true],
  ["GET", "/apiary", html, true],
  ["GET", "/objects/api", html, true],
  ["GET", "/api/testobjects", html, false],
  ["GET", "/api", html, false],
  ["GET", "/API/x", html, false],
  ["GET", "/healthz", html, false],
  ["GET", "/config.json", html, false],
  ["GET", "/ws/console", html, false],
  ["GET", "/assets/gone.js", "*/*", false],
  ["POST", "/", html, false],
])("%s %s (%s) is a navigation: %s", (method, path, accept, expected) => {
  expect(isNavigation(method, path, accept)).toBe(expected);
});

test.each([
  ["assets/index-BqX1_a9f.js", true],
  ["assets\\index-BqX1_a9f.css", true],
  ["assets/inter-latin-DxB2y8Qz.woff2", true],
  ["assets/index-BqX1_a9f.js.map", true],
  ["index.html", false],
  ["assets/logo.svg", false],
  ["favicon-12345678.svg", false],
])("%s never changes: %s", (path, immutable) => {
  expect(cacheRule(path).includes("immutable")).toBe(immutable);
});

test("files of text are sent packed to whom that serves, and as they are to others", async () => {
  const dir = await mkdtemp(join(tmpdir(), "web-app-"));
  const script = "assets/index-12345678.js";
  const text = "console.log('hello');".repeat(100);
  await mkdir(join(dir, "assets"));
  await writeFile(join(dir, "index.html"), "<!doctype html><title>The application</title>");
  await writeFile(join(dir, script), text);
  await writeFile(join(dir, `${script}.gz`), gzipSync(text));
  const server = createServer(express().use(webApp(dir))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const read = (path: string, headers: Record<string, string>) =>
    new Promise<{ headers: Record<string, unknown>; status: number; body: Buffer }>((resolve, reject) => {
      request({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () =>
          resolve({ headers: response.headers, status: response.statusCode ?? 0, body: Buffer.concat(parts) }),
        );
      })
        .on("error", reject)
        .end();
    });
  try {
    const packed = await read(`/${script}`, { "Accept-Encoding": "gzip, deflate, br" });
    expect(packed.headers).toMatchObject({
      "content-encoding": "gzip",
      "content-type": expect.stringMatching(/^text\/javascript/),
      "cache-control": expect.stringContaining("immutable"),
      vary: "Accept-Encoding",
    });
    expect(gunzipSync(packed.body).toString()).toBe(text);
    const plain = await read(`/${script}`, {});
    expect([plain.headers["content-encoding"], plain.body.toString()]).toEqual([undefined, text]);

    await rm(join(dir, `${script}.gz`));
    const gone = await read(`/${script}`, { "Accept-Encoding": "gzip" });
    expect([gone.status, gone.headers["content-encoding"]]).toEqual([404, undefined]);
    const screen = await read("/objects/1", { Accept: "text/html", "Accept-Encoding": "gzip" });
    expect(screen.body.toString()).toContain("The application");
  } finally {
    server.close();
    await rm(dir, { recursive: true });
  }
});
