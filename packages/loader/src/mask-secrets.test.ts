import { describe, expect, test } from "@jest/globals";
import { secretMask } from "./mask-secrets.js";
import { load, serve } from "./test-servers.js";

const token = "t0ken/with+odd=chars";
const password = "Geheim: 100 % ü";
const basic = Buffer.from(`anna:${password}`).toString("base64");

describe("a secret that a server repeats", () => {
  const origin = "https://site.test";
  const masked = (headers: Record<string, string>, text: string, url = `${origin}/page`) =>
    secretMask({ url, authorization: { origin, headers } })?.(text) ?? text;

  test.each([
    ["a bearer token", { authorization: `Bearer ${token}` }, `/?t=${token}&x=1`, "/?t=***&x=1"],
    ["percent-encoded", { authorization: `Bearer ${token}` }, `/?t=${encodeURIComponent(token)}`, "/?t=***"],
    [
      "encoded twice",
      { authorization: `Bearer ${token}` },
      `/?t=${encodeURIComponent(encodeURIComponent(token))}`,
      "/?t=***",
    ],
    [
      "with its scheme",
      { authorization: `Bearer ${token}` },
      `/?t=${encodeURIComponent(`Bearer ${token}`)}`,
      "/?t=***",
    ],
    [
      "as a form writes it",
      { authorization: `Bearer ${token}` },
      `/?${new URLSearchParams({ t: `Bearer ${token}` })}`,
      "/?t=***",
    ],
    ["a basic header", { Authorization: `Basic ${basic}` }, `/?a=Basic%20${encodeURIComponent(basic)}`, "/?a=***"],
    ["a password alone", { authorization: `Basic ${basic}` }, `/${encodeURIComponent(password)}/`, "/***/"],
    [
      "a password as UTF-8 in a header",
      { authorization: `Basic ${basic}` },
      Buffer.from(password).toString("latin1"),
      "***",
    ],
    ["a key in a header", { "x-key": "key-456-789" }, "/?key=key-456-789", "/?key=***"],
    ["a cookie", { cookie: "a=1; sid=9f8e7d6c5b" }, "/;sid=9f8e7d6c5b", "/;sid=***"],
  ])("is masked: %s", (_what, headers, text, expected) => {
    expect(masked(headers, text)).toBe(expected);
    // the control: without credentials it stays
    expect(masked({}, text)).toBe(text);
  });

  test.each([
    ["a word of a header", { "x-stage": "production" }, "/production/"],
    ["an address of a header", { referer: "https://site2.test/" }, "https://site2.test/"],
    ["a short password", { authorization: `Basic ${Buffer.from("anna:start").toString("base64")}` }, "/start"],
    ["a word that is a password", { authorization: `Basic ${btoa("anna:password")}` }, "/forgot-password"],
    ["what the requested address contains", { "x-key": "page-2024" }, `${origin}/page-2024/x`],
  ])("is told from what is no secret: %s", (_what, headers, text) => {
    expect(masked(headers, text, `${origin}/page-2024`)).toBe(text);
  });
});

describe("a load with credentials", () => {
  const echo = () =>
    serve((request, response) => {
      const { authorization = "" } = request.headers;
      if (request.url === "/")
        response
          .writeHead(302, { Location: `/in?as=${encodeURIComponent(authorization)}`, "X-Echo": authorization })
          .end();
      else if (request.url === "/lost") response.writeHead(302, { Location: `ftp://x.test/${authorization}` }).end();
      else response.writeHead(200, { "Content-Type": "text/html", "X-Echo": authorization }).end(request.url);
    });
  const asBearer = (url: string) => ({
    authorization: { origin: new URL(url).origin, headers: { authorization: `Bearer ${token}` } },
  });

  test("tells no secret in addresses and headers, and yet follows the server's address", async () => {
    const { url } = await echo();
    const result = await load(url, asBearer(url));
    expect(result).toMatchObject({ kind: "page", finalUrl: `${url}in?as=***`, headers: { "x-echo": "***" } });
    // what the server sent is kept as it came: the real address was asked for
    const body = result.kind === "page" ? result.body.toString() : "";
    expect(body).toBe(`/in?as=${encodeURIComponent(`Bearer ${token}`)}`);
  });

  test("tells none in a failure either", async () => {
    const { url } = await echo();
    const result = await load(`${url}lost`, asBearer(url));
    expect(result).toMatchObject({
      kind: "failed",
      code: "redirect_invalid",
      headers: { location: "ftp://x.test/***" },
    });
    expect(JSON.stringify(result)).not.toContain("t0ken");
  });
});
