import { describe, expect, test } from "@jest/globals";
import { httpRequest, httpResponse, surt, warcRecord } from "./warc-record.js";

test.each([
  ["https://www.example.org/", "org,example)/"],
  ["http://Docs.Example.org:8080/A/b?Z=1&a=2", "org,example,docs:8080)/a/b?a=2&z=1"],
])("the key of %s", (url, key) => {
  expect(surt(url)).toBe(key);
});

describe("an answer", () => {
  test("is written without what was said of the wire, header by header", () => {
    const headers = { "content-type": "text/html", "content-encoding": "br", "set-cookie": ["a=1", "b=2"] };
    expect(httpResponse(200, headers, Buffer.from("<p>")).toString()).toBe(
      "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 3\r\n\r\n<p>",
    );
  });
  test("cannot be broken by its headers", () => {
    const text = httpResponse(200, { "x\r\ny": "1", x: "a\r\n\r\nb" }, Buffer.from("")).toString();
    expect(text).toBe("HTTP/1.1 200 OK\r\nx: a b\r\nContent-Length: 0\r\n\r\n");
  });
  test("has the bytes of its headers as they came", () => {
    const came = Buffer.from("x: caf\u00e9", "latin1");
    expect(httpResponse(200, { x: "caf\u00e9" }, Buffer.from("")).includes(came)).toBe(true);
    // imported headers may have other characters: none may become a line break
    expect(httpResponse(200, { x: "\u010a" }, Buffer.from("")).includes("x: \u010a\r\n")).toBe(true);
  });
});

test("a question has path and host and no more", () => {
  expect(httpRequest("https://example.org:8443/a?b#c").toString()).toBe(
    "GET /a?b HTTP/1.1\r\nHost: example.org:8443\r\n\r\n",
  );
});

test("a record names its length and digest and ends in two line breaks", () => {
  const { id, bytes } = warcRecord({
    type: "metadata",
    url: "https://example.org/",
    date: new Date("2026-01-01T00:00:00Z"),
    contentType: "application/warc-fields",
    block: Buffer.from("a: b\r\n"),
  });
  expect(id).toMatch(/^<urn:uuid:[0-9a-f-]{36}>$/);
  expect(bytes.toString()).toMatch(
    /^WARC\/1\.1\r\nWARC-Type: metadata\r\n.*Content-Length: 6\r\n\r\na: b\r\n\r\n\r\n$/s,
  );
});
