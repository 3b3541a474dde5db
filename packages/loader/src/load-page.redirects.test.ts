import { type RequestListener } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { serve, serveRaw, load, allowLoopback } from "./test-servers.js";

describe("redirects", () => {
  const redirecting = (steps: Record<string, [status: number, location: string]>) =>
    serve((request, response) => {
      const step = steps[request.url ?? ""];
      if (step === undefined) response.writeHead(200, { "Content-Type": "text/html" }).end(`at ${request.url ?? ""}`);
      else response.writeHead(step[0], { Location: step[1] }).end("moved");
    });

  test("are followed one by one and told", async () => {
    const { url } = await redirecting({
      "/": [301, "/b"],
      "/b": [302, "c?x=1"],
      "/c?x=1": [303, "/d"],
      "/d": [307, "/e"],
      "/e": [308, "/end#part"],
    });
    const result = await load(url);
    expect(result).toMatchObject({ kind: "page", finalUrl: `${url}end`, body: Buffer.from("at /end") });
    expect(result.redirects).toEqual([
      { url, status: 301 },
      { url: `${url}b`, status: 302 },
      { url: `${url}c?x=1`, status: 303 },
      { url: `${url}d`, status: 307 },
      { url: `${url}e`, status: 308 },
    ]);
  });

  test("in a circle end, and the circle is told", async () => {
    const { url } = await redirecting({ "/": [302, "/b"], "/b": [302, "/c"], "/c": [302, "/b"] });
    expect(await load(url)).toMatchObject({
      kind: "failed",
      code: "too_many_redirects",
      retryable: false,
      status: 302,
      finalUrl: `${url}c`,
      message: expect.stringContaining(`${url}b → ${url}c → ${url}b`),
    });
  });

  test("without end end after 10", async () => {
    let count = 0;
    const { url } = await serve((_request, response) => response.writeHead(302, { Location: `/${++count}` }).end());
    const result = await load(url);
    expect(result).toMatchObject({
      kind: "failed",
      code: "too_many_redirects",
      message: expect.stringContaining("more than 10 times"),
    });
    expect([result.redirects.length, count]).toEqual([11, 11]);
  });

  test.each([
    ["without a Location", {}, "without saying where to"],
    ["to another scheme", { Location: "ftp://x.example/" }, "starts with ftp:"],
  ])("%s are invalid", async (_what, headers, words) => {
    const { url } = await serve((_request, response) => response.writeHead(302, headers).end());
    expect(await load(url)).toMatchObject({
      kind: "failed",
      code: "redirect_invalid",
      status: 302,
      message: expect.stringContaining(words),
    });
  });

  test("to a private address are refused, by literal, other port and name; without the guard they arrive", async () => {
    let arrived = 0;
    const canary = await serve((_request, response) => {
      arrived += 1;
      response.writeHead(200, { "Content-Type": "text/html" }).end("inner");
    });
    const { port } = new URL(canary.url);
    const spellings = [
      canary.url,
      `http://0x7f.1:${port}/`,
      `http://2130706433:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://docs.test:${port}/`,
      `//127.0.0.1:${port}/`,
    ];
    for (const location of spellings) {
      const { url } = await redirecting({ "/": [302, location] });
      expect([location, await load(url)]).toMatchObject([
        location,
        {
          kind: "failed",
          code: "address_refused",
          retryable: false,
          redirects: [{ url, status: 302 }],
          message: expect.stringContaining("was refused"),
        },
      ]);
      expect(arrived).toBe(0);
    }
    const metadata = await redirecting({ "/": [302, "http://169.254.169.254/latest/meta-data/"] });
    expect(await load(metadata.url, {}, allowLoopback)).toMatchObject({
      kind: "failed",
      code: "address_refused",
      message: expect.stringContaining("metadata"),
    });
    for (const location of spellings.filter((spelling) => !spelling.includes("::"))) {
      const { url } = await redirecting({ "/": [302, location] });
      expect(await load(url, {}, allowLoopback)).toMatchObject({ kind: "page", body: Buffer.from("inner") });
    }
    expect(arrived).toBe(spellings.length - 1);
  });

  test("the caller may refuse one, and its target is never asked", async () => {
    const asked: string[] = [];
    const { url } = await serve((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(302, { Location: "/out" }).end();
    });
    expect(
      await load(url, {
        checkRedirect: (target) => (target.pathname === "/out" ? "it lies outside the test object." : null),
      }),
    ).toMatchObject({
      kind: "failed",
      code: "out_of_scope",
      message: expect.stringContaining("outside the test object"),
    });
    expect(asked).toEqual(["/"]);
  });

  test("credentials go to their own origin only, there and back", async () => {
    const seen: (string | string[] | undefined)[][] = [];
    const hear =
      (name: string, location: Record<string, string>): RequestListener =>
      (request, response) => {
        seen.push([`${name}${request.url ?? ""}`, request.headers.authorization, request.headers["x-key"]]);
        const target = location[request.url ?? ""];
        if (target === undefined) response.writeHead(200, { "Content-Type": "text/html" }).end("end");
        else response.writeHead(302, { Location: target }).end();
      };
    const toB: Record<string, string> = {};
    const a = await serve(hear("a", toB));
    const b = await serve(hear("b", { "/": `${a.url}back` }));
    toB["/"] = b.url;
    const authorization = { origin: new URL(a.url).origin, headers: { Authorization: "Bearer hunter2", "X-Key": "k" } };
    expect(
      await load(a.url, { authorization, extraHeaders: { authorization: "overridden" } }, allowLoopback),
    ).toMatchObject({ kind: "page" });
    expect(seen).toEqual([
      ["a/", "Bearer hunter2", "k"],
      ["b/", "overridden", undefined],
      ["a/back", "Bearer hunter2", "k"],
    ]);
  });

  test("where a page leads by itself is read in its charset", async () => {
    const leading = Buffer.from(`<meta http-equiv=refresh content="0; url=/b?q=\xe9">`, "latin1");
    const { url } = await serve((request, response) =>
      response
        .writeHead(200, { "Content-Type": "text/html; charset=windows-1252" })
        .end(request.url === "/" ? leading : "<p>there"),
    );
    expect(await load(url, { asSeen: true })).toMatchObject({ kind: "page", finalUrl: `${url}b?q=%E9` });
  });

  test("a redirect whose body never ends is followed all the same", async () => {
    let requests = 0;
    const { url } = await serveRaw((socket) => {
      requests += 1;
      if (requests === 1) socket.write("HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\nendless");
      else socket.end("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nthere");
    });
    expect(await load(url)).toMatchObject({ kind: "page", finalUrl: `${url}b` });
  });
});
