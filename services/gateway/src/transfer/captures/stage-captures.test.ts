import { createHash } from "node:crypto";
import { crc32, gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { sha1Base32 } from "./capture.js";
import { stageCaptures } from "./stage-captures.js";
import { heapMiB } from "./test-heap.js";

/** An archive is read as it arrives: what is remembered of it until its end has to be small, whatever it holds. */
const url = "http://site.example/";
const time = (second: number) => new Date(1_500_000_000_000 + second * 1_000).toISOString();
const desk = { keep: async () => undefined, stage: async () => null };

const page = (words: string) => `<!doctype html><title>Page</title><p>${words}`;

/** Makes a record of type `response`; `more`: further fields of its header. */
function record(target: string, date: string, type: string, body: string, more: Record<string, string> = {}): Buffer {
  const block = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n\r\n${body}`);
  const fields = { "WARC-Type": "response", "WARC-Target-URI": target, "WARC-Date": date, ...more };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`WARC/1.0\r\n${lines.join("")}Content-Length: ${block.length}\r\n\r\n`);
  return Buffer.concat([head, block, Buffer.from("\r\n\r\n")]);
}

/** Makes a file in a ZIP archive, which is not packed. */
function zipped(name: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt32LE(crc32(bytes), 14);
  head.writeUInt32LE(bytes.length, 18);
  head.writeUInt32LE(bytes.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name), bytes]);
}

/** Makes a ZIP of files, with an end record and without a list of the files. */
function zipOf(...files: readonly Buffer[]): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  return Buffer.concat([...files, end]);
}

/** Stages a WARC of many style sheets and one page; `fieldsOf`: further fields of the header of each record. */
async function stagedSheets(
  count: number,
  type: string,
  fieldsOf: (index: number) => Record<string, string> = () => ({}),
) {
  async function* records() {
    yield record(url, time(0), "text/html", page("words"));
    for (let index = 0; index < count; index++) {
      const sheet = `/* ${index} */ ${"a{} ".repeat(20_000)}`;
      yield record(`${url}${index}.css`, time(index), type, sheet, fieldsOf(index));
    }
  }
  const before = heapMiB();
  const { kept } = await stageCaptures("warc", records(), null, desk);
  return { kept, grown: heapMiB() - before };
}

test("of each answer its type is remembered, without the answer", async () => {
  const { kept, grown } = await stagedSheets(1_000, "text/css; charset=utf-8");
  expect(grown).toBeLessThan(10);
  expect(kept.nearest(`${url}7.css`, 0)).toMatchObject({ contentType: "text/css; charset=utf-8", extension: "css" });
}, 120_000);

test("a type and a digest of 50 KB each are not remembered whole", async () => {
  const long = "x".repeat(50_000);
  const digests = (index: number) => ({ "WARC-Payload-Digest": `none:${index}${long}` });
  const { kept, grown } = await stagedSheets(500, `text/css; of=${long}`, digests);
  expect(grown).toBeLessThan(10);
  expect(kept.nearest(`${url}7.css`, 0)).toMatchObject({ extension: "css" });
}, 120_000);

/** Makes an archive of a page and an index, whose many lines have addresses of 50 KB; the last one is about that page. */
function listedPage(): Buffer {
  const words = Buffer.from(page("listed"));
  const long = "x".repeat(50_000);
  const lines = Array.from(
    { length: 1_500 },
    (_, index) => `com,example)/ 20150101000000 ${url}${index}${long} text/html 200 NONE\n`,
  );
  const right = `com,example)/ 20160101000000 ${url}right text/html 200 ${sha1Base32(words)}\n`;
  return zipOf(zipped("page.html", words), zipped("index.cdx", Buffer.from([...lines, right].join(""))));
}

test("of an index with addresses of 50 KB each they are left out at once, and the rest is used", async () => {
  const archive = listedPage();
  const staged: unknown[] = [];
  const before = heapMiB();
  let grown = Infinity;
  const { leftOut } = await stageCaptures("zip", inPieces(archive), null, {
    ...desk,
    stage: async (read) => {
      staged.push(read.value);
      // lines are used at the end of the file, while all of them are in memory
      grown = heapMiB() - before;
      return null;
    },
  });
  expect(grown).toBeLessThan(10);
  expect(staged).toContainEqual(expect.objectContaining({ final_url: `${url}right` }));
  expect(leftOut.words().join(" ")).toContain("1,500 responses from addresses with more than 2000 characters");
}, 120_000);

test("a user name and a password in an address stay behind, and an index line without an address is left out", async () => {
  const words = Buffer.from(page("listed"));
  const line = (address: string) => `com,example)/ 20160101000000 ${address} text/html 200 ${sha1Base32(words)}\n`;
  const secret = "http://me:s3cret@site.example/";
  const index = Buffer.from([line("no address at all"), line("nowhere"), line(`${secret}listed`)].join(""));
  const listed = zipOf(zipped("page.html", words), zipped("index.cdx", index));
  const staged: unknown[] = [];
  const telling = {
    ...desk,
    stage: async (read: { value: unknown }) => {
      staged.push(read.value);
      return null;
    },
  };
  const { leftOut } = await stageCaptures("zip", inPieces(listed), null, telling);
  expect(leftOut.words()).toEqual(["Left out: 2 index lines whose addresses are not http or https (the first: no)."]);
  await stageCaptures("warc", inPieces(record(secret, time(0), "text/html", page("words"))), null, telling);
  for (const final_url of [`${url}listed`, url]) expect(staged).toContainEqual(expect.objectContaining({ final_url }));
  expect(JSON.stringify(staged)).not.toContain("s3cret");
});

test("a capture of the day after tomorrow is left out, without a page that would have no snapshot", async () => {
  const staged: unknown[] = [];
  const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const file = Buffer.concat([
    record(`${url}early`, soon(48), "text/html", page("early")),
    record(`${url}fast-clock`, soon(23), "text/html", page("fast")),
  ]);
  const { leftOut } = await stageCaptures("warc", inPieces(file), null, {
    ...desk,
    stage: async (read) => {
      if (read.list === "testInstances") staged.push(read.value);
      return null;
    },
  });
  expect(staged).toMatchObject([{ url: `${url}fast-clock` }]);
  expect(leftOut.words()).toEqual([`Left out: 1 records with a time in the future (the first: ${url}early).`]);
});

test("what says that it is a page and is no text is counted, and a picture is not", async () => {
  const bytes = "\0\u0001\u0002\u0003".repeat(50);
  const file = Buffer.concat([
    record(url, time(0), "text/html", page("words")),
    record(`${url}packed`, time(0), "text/html; charset=utf-8", bytes),
    record(`${url}picture`, time(0), "image/x-icon", bytes),
  ]);
  const { leftOut } = await stageCaptures("warc", inPieces(file), null, desk);
  expect(leftOut.words()).toEqual([`Left out: 1 responses of type HTML that are no text (the first: ${url}packed).`]);
});

/** Returns the addresses and hashes of the pages that a file brings, and what it leaves out. */
async function pagesOf(form: "warc" | "zip", file: Buffer) {
  const pages: string[] = [];
  const { leftOut } = await stageCaptures(form, inPieces(file), null, {
    ...desk,
    stage: async ({ list, value }) => {
      const { final_url: address, html_sha256: hash } = value as { final_url: string; html_sha256: string };
      if (list === "testSnapshots") pages.push(`${address.slice(url.length)} ${hash.slice(0, 8)}`);
      return null;
    },
  });
  return { pages, words: leftOut.words() };
}

test("a record that repeats one of a later file gets its bytes, and one of no file is counted", async () => {
  const digest = (words: string) => `sha1:${sha1Base32(Buffer.from(page(words)))}`;
  const repeat = (target: string, of: string) =>
    Buffer.from(
      record(target, time(9), "text/html", "", { "WARC-Payload-Digest": digest(of) })
        .toString()
        .replace("WARC-Type: response", "WARC-Type: revisit"),
    );
  const first = Buffer.concat([repeat(`${url}b`, "words"), repeat(`${url}none`, "other words")]);
  const files = [
    zipped("rec-1.warc", first),
    zipped("rec-2.warc", record(`${url}a`, time(0), "text/html", page("words"))),
  ];
  const { pages, words } = await pagesOf("zip", zipOf(...files));
  const hash = createHash("sha256").update(page("words")).digest("hex").slice(0, 8);
  expect(pages).toEqual([`a ${hash}`, `b ${hash}`]);
  const missing = "records that repeat an earlier record which is missing in the file";
  expect(words).toEqual([`Left out: 1 ${missing} (the first: ${url}none).`]);
  // in the other order they are the same pages
  expect((await pagesOf("zip", Buffer.concat(files.toReversed()))).pages).toEqual(pages);
});

test("a record that names the one that it repeats gets its bytes, and those of no other", async () => {
  const ids = ["old", "new", "lost"].map((name) => [name, `<urn:uuid:${name}>`] as const);
  const of = new Map(ids);
  const idOf = (name: string) => of.get(name) ?? "";
  const named = (name: string, second: number) =>
    record(`${url}a`, time(second), "text/html", page(name), { "WARC-Record-ID": idOf(name) });
  const repeat = (target: string, name: string) =>
    Buffer.from(
      record(target, time(99), "text/html", "", { "WARC-Refers-To": idOf(name) })
        .toString()
        .replace("WARC-Type: response", "WARC-Type: revisit"),
    );
  const repeats = [repeat(`${url}b`, "old"), repeat(`${url}a`, "old"), repeat(`${url}a`, "lost")];
  const originals = [named("old", 0), named("new", 90)];
  const hashOf = (name: string) => createHash("sha256").update(page(name)).digest("hex").slice(0, 8);
  for (const file of [
    [...originals, ...repeats],
    [...repeats, ...originals],
  ]) {
    const { pages, words } = await pagesOf("warc", Buffer.concat(file));
    // without its name, the second one would be taken for the version that is nearest in time
    expect(pages.toSorted()).toEqual(
      [`a ${hashOf("old")}`, `a ${hashOf("new")}`, `a ${hashOf("old")}`, `b ${hashOf("old")}`].toSorted(),
    );
    expect(words).toEqual([
      `Left out: 1 records that repeat an earlier record which is missing in the file (the first: ${url}a).`,
    ]);
  }
});

test("a file that was cut off is called so, and one with other bytes damaged", async () => {
  const one = record(`${url}a`, time(0), "text/html", page("a"));
  const two = Buffer.concat([one, record(`${url}b`, time(0), "text/html", page("b"))]);
  const said = async (form: "warc" | "zip", file: Buffer) => (await pagesOf(form, file)).words;
  const inZip = (bytes: Buffer) => zipOf(zipped("a.warc", one), zipped("b.warc.gz", bytes));
  for (const end of [one.length + 20, two.length - 40, two.length - 10])
    expect(await said("warc", two.subarray(0, end))).toEqual([expect.stringMatching(/^The file is cut off: it ends/)]);
  expect(await said("zip", inZip(gzipSync(two)).subarray(0, -20))).toEqual([
    expect.stringMatching(/^(“b\.warc\.gz” in the|The) file is cut off: it/),
  ]);
  expect(await said("zip", inZip(gzipSync(two).subarray(0, -20)))).toEqual([
    "“b.warc.gz” in the file is cut off: its compression breaks off. What it has before that point was read.",
  ]);
  const other = Buffer.concat([one, Buffer.from("no record begins here")]);
  expect(await said("warc", other)).toEqual([
    expect.stringMatching(/^The file is damaged: at byte \d+ no record begins/),
  ]);
  expect(await said("warc", two)).toEqual([]);
});

test("of many records that repeat what never comes, a bounded number waits", async () => {
  async function* file() {
    yield record(url, time(0), "text/html", page("words"));
    for (let index = 0; index < 25_000; index++)
      yield Buffer.from(
        record(`${url}${index}`, time(1), "text/html", "", { "WARC-Payload-Digest": `sha1:${index}` })
          .toString()
          .replace("WARC-Type: response", "WARC-Type: revisit"),
      );
  }
  const before = heapMiB();
  const { leftOut } = await stageCaptures("warc", file(), null, desk);
  expect(heapMiB() - before).toBeLessThan(10);
  expect(leftOut.words().join(" ")).toContain("25,000 records that repeat");
}, 120_000);

test("a ZIP of a WARC with its index says what is not read, and of which lines there is nothing to import", async () => {
  const words = page("words");
  const line = (name: string, status: number, digest: string) =>
    `com,example)/ 20160101000000 ${url}${name} text/html ${status} ${digest}\n`;
  const lines = [
    line("a", 200, sha1Base32(Buffer.from(words))),
    line("robots.txt", 404, "NONE"),
    line("lost", 200, "NONE"),
  ].join("");
  const { pages, words: said } = await pagesOf(
    "zip",
    zipOf(
      zipped("data.warc", record(`${url}a`, time(0), "text/html", words)),
      zipped("archive/more.warc.zst", Buffer.from("anything")),
      zipped("archive/old.arc.gz", Buffer.from("anything")),
      zipped("data.cdx", Buffer.from(lines)),
    ),
  );
  expect(pages).toHaveLength(1);
  expect(said).toEqual([
    "Left out: 2 files that are ARC, or WARC packed with something else than gzip (the first: archive/more.warc.zst).",
    `Left out: 1 index lines about redirects and errors (the first: ${url}robots.txt).`,
    `Left out: 1 index lines whose captures are not in the file (the first: ${url}lost).`,
  ]);
});

test("of a ZIP, the files behind a damaged one are read, and none that a desktop added", async () => {
  const warc = (name: string) => gzipSync(record(`${url}${name}`, time(0), "text/html", page(name)));
  const damaged = Buffer.concat([warc("b"), warc("c").fill(0xff, 30, 60)]);
  const file = zipOf(
    zipped("archive/a.warc.gz", warc("a")),
    zipped("__MACOSX/archive/._a.warc.gz", Buffer.from("AppleDouble")),
    zipped("archive/b.warc.gz", damaged),
    zipped("archive/cut.warc", record(`${url}cut`, time(0), "text/html", page("cut")).subarray(0, -30)),
    zipped("archive/d.warc.gz", warc("d")),
  );
  const pages: unknown[] = [];
  const { leftOut } = await stageCaptures("zip", inPieces(file), null, {
    ...desk,
    stage: async (read) => {
      if (read.list === "testInstances") pages.push(read.value);
      return null;
    },
  });
  expect(pages).toMatchObject(["a", "b", "d"].map((name) => ({ url: `${url}${name}` })));
  expect(leftOut.words()).toEqual([
    expect.stringMatching(/^“archive\/b\.warc\.gz” in the file is damaged: .+ was read\.$/),
    expect.stringMatching(/^“archive\/cut\.warc” in the file is cut off: it ends within the record at byte 0/),
  ]);
});

describe("what a WACZ says of its files", () => {
  const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  const warc = gzipSync(record(`${url}a`, time(0), "text/html", page("a")));
  const lines = Buffer.from('{"format":"json-pages-1.0"}\n');
  const describing = (hashes: Record<string, string>) =>
    Buffer.from(
      JSON.stringify({ resources: Object.entries(hashes).map(([path, hash]) => ({ path, hash: `sha256:${hash}` })) }),
    );
  const right = { "archive/a.warc.gz": sha256(warc), "pages/pages.jsonl": sha256(lines) };

  async function saidOf(hashes: Record<string, string>, digest = sha256(describing(hashes))): Promise<string[]> {
    const text = JSON.stringify({ path: "datapackage.json", hash: `sha256:${digest}` });
    const description = [
      zipped("datapackage.json", describing(hashes)),
      zipped("datapackage-digest.json", Buffer.from(text)),
    ];
    const files = [zipped("archive/a.warc.gz", warc), zipped("pages/pages.jsonl", lines)];
    const said = [];
    for (const order of [
      [...files, ...description],
      [...description, ...files],
    ]) {
      const { pages, words } = await pagesOf("zip", zipOf(...order));
      expect(pages).toHaveLength(1);
      said.push(words.toSorted());
    }
    expect(said[1]).toEqual(said[0]);
    return said[0] ?? [];
  }

  test.each([
    [
      { ...right, "archive/a.warc.gz": "0".repeat(64) },
      /“archive\/a\.warc\.gz” in the file is not what its datapackage\.json/,
    ],
    [
      { ...right, "pages/pages.jsonl": "0".repeat(64) },
      /“pages\/pages\.jsonl” in the file is not what its datapackage\.json/,
    ],
    [{ ...right, "archive/b.warc.gz": "0".repeat(64) }, /“archive\/b\.warc\.gz” is named by .+ is not in the file/],
  ])("a file that is not as named, or missing, is said", async (hashes, words) => {
    expect(await saidOf(hashes)).toEqual([expect.stringMatching(words)]);
  });

  test("a description that is not as its digest says is said", async () => {
    const words = /“datapackage\.json” in the file is not what its datapackage-digest\.json says/;
    expect(await saidOf(right, "0".repeat(64))).toEqual([expect.stringMatching(words)]);
  });

  test("positive control: of files that are as named, nothing is said", async () => {
    expect(await saidOf(right)).toEqual([]);
  });
});

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
