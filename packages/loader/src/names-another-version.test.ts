import { describe, expect, test } from "@jest/globals";
import { namesAnotherVersion } from "./names-another-version.js";
import { load, serve } from "./test-servers.js";

const monday = "Mon, 04 Mar 2024 10:00:00 GMT";
const tuesday = "Tue, 05 Mar 2024 10:00:00 GMT";

test.each<[string, string | null, string | null, Record<string, string>, boolean]>([
  ["the same tag", '"a"', null, { etag: '"a"' }, false],
  ["another tag", '"a"', null, { etag: '"b"' }, true],
  ["the same tag, weak now", '"a"', null, { etag: 'W/"a"' }, false],
  ["the tag without the coding of the page", '"a-gzip"', null, { etag: '"a"' }, false],
  ["the tag with a coding", 'W/"a"', null, { etag: '"a-br"' }, false],
  ["no tag", '"a"', null, {}, false],
  ["an empty tag", '"a"', null, { etag: "" }, false],
  ["the same tag, and a later date", '"a"', monday, { etag: '"a"', "last-modified": tuesday }, false],
  ["the same date", null, monday, { "last-modified": monday }, false],
  ["a later date", null, monday, { "last-modified": tuesday }, true],
  ["an earlier date", null, tuesday, { "last-modified": monday }, false],
  ["no date that can be read", null, monday, { "last-modified": "yesterday" }, false],
  ["a tag that was not asked about", null, monday, { etag: '"b"' }, false],
])("a 304 with %s", (_what, etag, lastModified, headers, expected) => {
  expect(namesAnotherVersion({ etag, lastModified }, headers)).toBe(expected);
});

describe("a server that answers 304 whatever it is asked about", () => {
  const always304 = (etag: string) => {
    const asked: (string | undefined)[] = [];
    const server = serve((request, response) => {
      const condition = request.headers["if-none-match"];
      asked.push(condition);
      response.writeHead(condition === undefined ? 200 : 304, { ETag: etag, "Content-Type": "text/html" });
      response.end(condition === undefined ? "<p>new" : undefined);
    });
    return { server, asked };
  };
  const conditional = { etag: '"old"', lastModified: null };

  test("and names another version is asked for the whole page", async () => {
    const { server, asked } = always304('"new"');
    const result = await load((await server).url, { conditional });
    expect(result).toMatchObject({ kind: "page", status: 200, body: Buffer.from("<p>new") });
    expect(asked).toEqual(['"old"', undefined]);
  });

  test("is believed where it names the version that was asked about", async () => {
    const { server, asked } = always304('"old"');
    expect(await load((await server).url, { conditional })).toMatchObject({ kind: "not-modified" });
    expect(asked).toEqual(['"old"']);
  });

  test("also to a request without a condition is not asked for ever", async () => {
    let count = 0;
    const { url } = await serve((_request, response) => {
      count += 1;
      response.writeHead(304, { ETag: '"new"' }).end();
    });
    expect(await load(url, { conditional })).toMatchObject({ kind: "failed", code: "http_status", status: 304 });
    expect(count).toBe(2);
  });
});
