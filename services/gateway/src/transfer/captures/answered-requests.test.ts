import { expect, test } from "@jest/globals";
import { stageCaptures } from "./stage-captures.js";

/** The order and the fields of records as programs write them. */
const url = "http://site.example/";

function record(type: string, second: number, block: string, more: Record<string, string>): Buffer {
  const date = new Date(1_500_000_000_000 + second * 1_000).toISOString();
  const fields = { "WARC-Type": type, "WARC-Target-URI": url, "WARC-Date": date, ...more };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`WARC/1.1\r\n${lines.join("")}Content-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`);
}
const answer = (second: number, words: string, more: Record<string, string> = {}) =>
  record("response", second, `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><p>${words}`, {
    "WARC-Record-ID": `<urn:answer:${second}>`,
    ...more,
  });
const request = (second: number, method: string, more: Record<string, string> = {}) =>
  record("request", second, `${method} / HTTP/1.1\r\nHost: site.example\r\n\r\n`, {
    "WARC-Record-ID": `<urn:request:${second}>`,
    ...more,
  });
const about = (second: number) =>
  record("metadata", second, "fetchTimeMs: 1", { "WARC-Concurrent-To": `<urn:answer:${second}>` });
/** As warcio and browsers' crawlers write them. */
const asked = (second: number, method: string) => [
  answer(second, method),
  request(second, method, { "WARC-Concurrent-To": `<urn:answer:${second}>` }),
];
/** As Wget writes them. */
const askedFirst = (second: number, method: string) => [
  request(second, method),
  answer(second, method, { "WARC-Concurrent-To": `<urn:request:${second}>` }),
];

/** Returns the seconds of the pages that become history, and what is said about the others. */
async function staged(...records: Buffer[]): Promise<{ seconds: number[]; words: string[] }> {
  async function* file() {
    yield* records;
  }
  const seconds: number[] = [];
  const { leftOut } = await stageCaptures("warc", file(), null, {
    keep: async () => undefined,
    stage: async ({ list, value }) => {
      if (list === "testSnapshots")
        seconds.push((Date.parse((value as { fetched_at: string }).fetched_at) - 1_500_000_000_000) / 1_000);
      return null;
    },
  });
  return { seconds, words: leftOut.words() };
}

test.each([
  ["behind its answer", asked],
  ["before it", askedFirst],
])("what a form was answered with is no version of its page: the request stands %s", async (_, of) => {
  const { seconds, words } = await staged(...of(1, "GET"), ...of(2, "POST"), ...of(3, "GET"), ...of(4, "POST"));
  expect(seconds).toEqual([1, 3]);
  expect(words).toEqual([`Left out: 2 responses to POST requests (the first: ${url}).`]);
});

test("a request belongs to the answer that it names, or that names it, and to no other", async () => {
  const alone = request(9, "POST", { "WARC-Concurrent-To": "<urn:answer:8>" });
  const { seconds, words } = await staged(answer(1, "a"), alone, answer(2, "b"), about(2), answer(3, "c"), about(3));
  expect([seconds, words]).toEqual([[1, 2, 3], []]);
});

test("another record may stand between an answer and its request", async () => {
  const [posted, form] = asked(2, "POST");
  const { seconds } = await staged(answer(1, "a"), posted ?? Buffer.of(), about(2), form ?? Buffer.of());
  expect(seconds).toEqual([1]);
});

test("the answer before a cut counts", async () => {
  const { seconds, words } = await staged(answer(1, "a"), answer(2, "b"), answer(3, "c").subarray(0, 150));
  expect(seconds).toEqual([1, 2]);
  expect(words.join(" ")).toContain("The file is cut off: it ends within");
});
