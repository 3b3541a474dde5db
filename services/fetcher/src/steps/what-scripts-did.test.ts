import { expect, test } from "@jest/globals";
import type { LoadedPage, PageResult } from "@web-tester/loader/page-result";
import type { PageReader } from "./page-reader.js";
import { whatScriptsDid } from "./what-scripts-did.js";

const page: LoadedPage = {
  ...{ kind: "page", mode: "browser", status: 200, finalUrl: "http://site.test/", redirects: [], headers: {} },
  ...{ body: Buffer.from("drawn"), contentType: "text/html", charset: "utf-8", warning: null },
  ...{ timings: { totalMs: 1, firstByteMs: 1 }, bytesOnWire: 1 },
};
const source = Buffer.from("sent");
const reader: Pick<PageReader, "drawn"> = { drawn: async () => ({ isMuch: false, added: "12.99" }) };
const failed: PageResult = {
  ...{ kind: "failed", mode: "browser", status: null, finalUrl: "http://site.test/", redirects: [], headers: {} },
  ...{ code: "timed_out", message: "It took too long.", retryable: false, retryAfterMs: null },
  ...{ timings: { totalMs: 1, firstByteMs: 1 }, bytesOnWire: 1 },
};

test.each<[string, PageResult, unknown]>([
  ["a page that is as it was sent but for a few words", { ...page, source }, { builds: false, added: "12.99" }],
  ["a page of which something came into sight", { ...page, source, reveals: true }, { builds: true, added: "" }],
  ["a page that led to another one", { ...page, source: null }, { builds: true, added: "" }],
  ["a page whose source did not come in time", page, null],
  ["a page that shows nothing in a browser", failed, { builds: true, added: "" }],
  ["a page that may show something later", { ...failed, retryable: true }, null],
])("what is known from %s", async (_what, rendered, expected) => {
  expect(await whatScriptsDid("one", rendered, reader)).toEqual(expected);
});
