import { createHash } from "node:crypto";
import { deflateRawSync, gzipSync } from "node:zlib";

/** A file that must be refused: a description, its bytes, and the code of the refusal. */
export interface HostileImport {
  what: string;
  body: () => Iterable<string | Uint8Array>;
  code: string;
  headers?: Record<string, string>;
}

const object = { id: "o", name: "Site", url: "https://site.example/" };
const instance = { id: "i", url: "https://site.example/", testobject_id: "o" };
const snapshot = { id: "s", testinstance_id: "i", html: "<p>x", created_at: "2026-01-01T00:00:00Z" };
const asset = { url: "https://site.example/a.css", kind: "stylesheet", error: "Missing" };

/** A valid file except for the replaced parts. */
function file(parts: { testObjects?: unknown; testInstances?: unknown; testSnapshots?: unknown } = {}): string {
  return JSON.stringify({ testObjects: [object], testInstances: [instance], testSnapshots: [snapshot], ...parts });
}
/** The control: the valid file that the others are made from must be accepted. */
export const rightFile = file({
  testSnapshots: [
    {
      ...snapshot,
      final_url: "https://site.example/b",
      redirects: [{ url: "https://site.example/", status: 301 }],
      assets: [{ ...asset, base_url: "https://site.example/b.css" }],
      charset: "latin1",
    },
  ],
});

const text = (what: string, body: string | Uint8Array, code = "invalid_json"): HostileImport => ({
  what,
  body: () => [body],
  code,
});
const wrong = (what: string, parts: Parameters<typeof file>[0]): HostileImport =>
  text(what, file(parts), "invalid_input");
const raw = (what: string, record: string): HostileImport =>
  text(what, `{"testObjects":[${record}],"testInstances":[],"testSnapshots":[]}`, "invalid_input");
const gzip = { "content-type": "application/gzip" };

function* repeated(first: string, part: Uint8Array, times: number, last: string): Generator<string | Uint8Array> {
  yield first;
  for (let count = 0; count < times; count++) yield part;
  yield last;
}

const mebi = 1024 * 1024;
const spaces = Buffer.alloc(mebi, 32);
const letters = Buffer.alloc(mebi, 97);
const before = rightFile.slice(0, -1);

/** One entry of a tar archive, as a hostile program could write it, and the end of the archive: 1,024 bytes. */
export function tar(name: string, content: string, type = "0", link = ""): Uint8Array {
  const head = Buffer.alloc(512);
  head.write(name, 0, 100);
  head.write("0000644\0", 100);
  head.write(content.length.toString(8).padStart(11, "0"), 124);
  head.write("00000000000\0", 136);
  head.write("        ", 148);
  head.write(type, 156);
  head.write(link, 157, 100);
  head.write("ustar\x0000", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([head, body, Buffer.alloc(1024)]);
}

const stylesheet = "p { color: red }";
const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");
const inArchive = {
  ...{ id: "s", testinstance_id: "i", created_at: "2026-01-02T00:00:00Z", state: "done" },
  html_sha256: sha256("<p>in an archive"),
  charset: "utf-8",
  assets: [
    { url: "https://site.example/a.css", kind: "stylesheet", extension: "css", sha256: sha256(stylesheet) },
    { url: "https://site.example/b.css", kind: "stylesheet", extension: "css", sha256: sha256(stylesheet) },
  ],
};
/** The control as an archive, with a page and a file of its own. */
export const rightArchive = Buffer.concat([
  tar(`blobs/${sha256("<p>in an archive")}`, "<p>in an archive").subarray(0, -1024),
  tar(`blobs/${sha256(stylesheet)}`, stylesheet).subarray(0, -1024),
  tar("records-1.json", file({ testSnapshots: [] })).subarray(0, -1024),
  tar("records-2.json", JSON.stringify({ testObjects: [], testInstances: [], testSnapshots: [inArchive] })),
]);

export const hostileImports: readonly HostileImport[] = [
  // not JSON
  text("nothing", ""),
  text("white space", " \n\t\r\n"),
  text("a word", "hello"),
  text("a page", "<!doctype html><title>x</title>"),
  text("cut off in a record", before.slice(0, 120)),
  text("cut off in a name", '{"testObjects": [{"id": "o", "na'),
  text("cut off before the end", before),
  text("cut off in an escape", '{"testObjects": [{"id": "\\u00'),
  text("something behind the end", `${rightFile} x`),
  text("two files", rightFile + rightFile),
  text("a comment", `/* x */ ${rightFile}`),
  text("a comment inside", rightFile.replace("[", "[// x\n")),
  text("a comma too many", rightFile.replace("]", ",]")),
  text("a comma too few", '{"testObjects": [{"id": "o" "name": "x"}]}'),
  text("single quotes", rightFile.replaceAll('"', "'")),
  text("names without quotes", rightFile.replace('"testObjects"', "testObjects")),
  text("NaN", rightFile.replace('"o"', "NaN")),
  text("Infinity", rightFile.replace('"o"', "Infinity")),
  text("undefined", rightFile.replace('"o"', "undefined")),
  text("a hexadecimal number", rightFile.replace('"o"', "0x10")),
  text("a number with a leading zero", rightFile.replace('"o"', "012")),
  text("a raw line break in a text", rightFile.replace("Site", "Si\nte")),
  text("a raw NUL", rightFile.replace("Site", "Si\0te")),
  text("NULs", "\0".repeat(1_000)),
  text("an unknown escape", rightFile.replace("Site", "Si\\xte")),
  text("UTF-8 cut in a character", Buffer.concat([Buffer.from(before), Buffer.of(0xe2, 0x82)])),
  text("Latin-1", Buffer.from(rightFile.replace("Site", "Sité"), "latin1")),
  text("overlong UTF-8", Buffer.from(rightFile.replace("Site", "Si\xc0\x80te"), "latin1")),
  text("a surrogate in UTF-8", Buffer.from(rightFile.replace("Site", "Si\xed\xa0\x80te"), "latin1")),
  text("UTF-16 with a byte order mark", Buffer.from(`\ufeff${rightFile}`, "utf16le")),
  text("a byte order mark inside", rightFile.replace("[", "[\ufeff")),
  // not an export file
  text("a number", "5"),
  text("null", "null"),
  text("a text", '"testObjects"'),
  text("a list", `[${rightFile}]`),
  text("an object without lists", '{"objects": []}'),
  text("lists one level too deep", `{"data": ${rightFile}}`),
  text("a list that is an object", '{"testObjects": {"0": {"id": 1, "name": "x", "url": "https://x.example/"}}}'),
  text("a list that is a text", '{"testObjects": "x"}'),
  text("a list that is null", '{"testObjects": [], "testSnapshots": null}'),
  text("one list twice", '{"testObjects": [], "testObjects": []}'),
  // depth, size, names
  text("100,000 lists in one another", "[".repeat(100_000)),
  text("100,000 objects in one another", '{"a":'.repeat(100_000)),
  text("a record 100,000 deep", `{"testObjects":[{"id":${"[".repeat(100_000)}${"]".repeat(100_000)}}]}`),
  text("an unknown part 100,000 deep", `{"x":${"[".repeat(100_000)}${"]".repeat(100_000)},"testObjects":[]}`),
  text("a record of 100,000 values", `{"testObjects":[{"id":[${"1,".repeat(100_000)}1]}]}`),
  text("__proto__ as a list", '{"__proto__": {"testObjects": []}, "testObjects": []}'),
  text("__proto__ in a record", '{"testObjects":[{"id":1,"__proto__":{"name":"x","url":"https://x.example/"}}]}'),
  text("an escaped __proto__", '{"testObjects":[{"id":1,"__pr\\u006fto__":{"name":"x"}}]}'),
  text("a number of 100,000 digits", `{"testObjects":[{"id":${"9".repeat(100_000)}}]}`),
  text("1e999", rightFile.replace('"o"', "1e999")),
  { what: "1 GB of spaces", body: () => repeated("", spaces, 1_024, rightFile), code: "invalid_json" },
  { what: "1 GB of one text", body: () => repeated('{"x":"', letters, 1_024, '"}'), code: "invalid_json" },
  { what: "1 GB of a name", body: () => repeated('{"', letters, 1_024, '":1}'), code: "invalid_json" },
  // records
  wrong("a record that is a number", { testObjects: [5] }),
  wrong("a record that is null", { testInstances: [null] }),
  wrong("a record that is a list", { testSnapshots: [[]] }),
  wrong("an object without an address", { testObjects: [{ id: "o", name: "x" }] }),
  wrong("an object at a file", { testObjects: [{ ...object, url: "file:///etc/passwd" }] }),
  wrong("an object at a script", { testObjects: [{ ...object, url: "javascript:alert(1)" }] }),
  wrong("an object with a password in its address", {
    testObjects: [{ ...object, url: "https://ann:s3cret@x.example/" }],
  }),
  wrong("an address that is a list", { testObjects: [{ ...object, url: ["https://x.example/"] }] }),
  wrong("an unknown authentication", { testObjects: [{ ...object, auth_type: "none" }] }),
  wrong("truth as a text", { testObjects: [{ ...object, asset_snapshots: "yes" }] }),
  wrong("100,000 exclude patterns", { testObjects: [{ ...object, exclude_list: "/x\n".repeat(100_000) }] }),
  wrong("an id that is an object", { testObjects: [{ ...object, id: { $ne: null } }] }),
  wrong("an id that is true", { testObjects: [{ ...object, id: true }] }),
  wrong("an id that is no whole number", { testObjects: [{ ...object, id: 1.5 }] }),
  raw("an id beyond whole numbers", '{"id": 99999999999999999999, "url": "https://x.example/"}'),
  wrong("two objects with one id", { testObjects: [object, { ...object, url: "https://other.example/" }] }),
  wrong("two instances with one id", { testInstances: [instance, { ...instance, url: "https://site.example/b" }] }),
  wrong("two snapshots with one id", { testSnapshots: [snapshot, snapshot] }),
  wrong("ids that are one as text", {
    testObjects: [
      { ...object, id: 1 },
      { ...object, id: "1" },
    ],
    testInstances: [],
    testSnapshots: [],
  }),
  wrong("an instance of no object", { testInstances: [{ ...instance, testobject_id: "other" }] }),
  wrong("an instance of an object that is here, not in the file", { testObjects: [], testSnapshots: [] }),
  wrong("an instance without a parent", { testInstances: [{ id: "i", url: "https://site.example/" }] }),
  wrong("a snapshot of no instance", { testSnapshots: [{ ...snapshot, testinstance_id: "other" }] }),
  wrong("a snapshot of an object", { testSnapshots: [{ ...snapshot, testinstance_id: "o" }] }),
  wrong("HTML that is a number", { testSnapshots: [{ ...snapshot, html: 5 }] }),
  wrong("headers that are no JSON", { testSnapshots: [{ ...snapshot, headers: "HTTP/1.1 200 OK" }] }),
  wrong("headers that are a list", { testSnapshots: [{ ...snapshot, headers: ["a"] }] }),
  wrong("headers of 10 MB", { testSnapshots: [{ ...snapshot, headers: { a: "x".repeat(10_000_000) } }] }),
  wrong("HTML of 40 MB", { testSnapshots: [{ ...snapshot, html: "x".repeat(40_000_000) }] }),
  wrong("a time that is none", { testSnapshots: [{ ...snapshot, created_at: "yesterday" }] }),
  wrong("a day that is none", { testSnapshots: [{ ...snapshot, created_at: "2026-13-45T00:00:00Z" }] }),
  wrong("30 February", { testSnapshots: [{ ...snapshot, created_at: "2026-02-30 10:00:00" }] }),
  wrong("24 o'clock", { testSnapshots: [{ ...snapshot, created_at: "2026-01-02T24:00:00Z" }] }),
  wrong("a leap second", { testSnapshots: [{ ...snapshot, fetched_at: "2016-12-31T23:59:60Z" }] }),
  wrong("an offset of 99 hours", { testObjects: [{ ...object, created_at: "2026-01-02T10:00:00+99:00" }] }),
  wrong("the year 9999", { testSnapshots: [{ ...snapshot, created_at: "9999-12-31T00:00:00Z" }] }),
  wrong("a time before 1970", { testSnapshots: [{ ...snapshot, created_at: -1 }] }),
  wrong("an unknown state", { testSnapshots: [{ ...snapshot, state: "excellent" }] }),
  wrong("a status of 10,000 digits", { testSnapshots: [{ ...snapshot, http_status: 1e300 }] }),
  ...["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//site.example/", "site.example", ""].flatMap(
    (url) => [
      wrong(`a final address ${url}`, { testSnapshots: [{ ...snapshot, final_url: url }] }),
      wrong(`a redirect at ${url}`, { testSnapshots: [{ ...snapshot, redirects: [{ url, status: 301 }] }] }),
      wrong(`a file at ${url}`, { testSnapshots: [{ ...snapshot, assets: [{ ...asset, url }] }] }),
      wrong(`a file that was moved to ${url}`, {
        testSnapshots: [{ ...snapshot, assets: [{ ...asset, base_url: url }] }],
      }),
    ],
  ),
  wrong("an address of 20,000 characters", {
    testSnapshots: [{ ...snapshot, final_url: `https://site.example/${"x".repeat(20_000)}` }],
  }),
  wrong("a file of an unknown kind", { testSnapshots: [{ ...snapshot, assets: [{ ...asset, kind: "program" }] }] }),
  wrong("a file that would be served as a page", {
    testSnapshots: [{ ...snapshot, assets: [{ ...asset, extension: "xhtml" }] }],
  }),
  wrong("a charset that there is not", { testSnapshots: [{ ...snapshot, charset: "klingon" }] }),
  text("half a surrogate pair", rightFile.replace("<p>x", "<p>\\ud800"), "invalid_input"),
  text("NUL in a name", rightFile.replace("Site", "Si\\u0000te"), "invalid_input"),
  // archives and codings
  { ...text("a zip", Buffer.concat([Buffer.from("PK\x03\x04"), deflateRawSync(rightFile)])), headers: gzip },
  { ...text("damaged gzip", gzipSync(rightFile).fill(7, 20, 40)), headers: gzip },
  { ...text("gzip cut off", gzipSync(rightFile).subarray(0, -20)), headers: gzip },
  { ...text("gzip in gzip", gzipSync(gzipSync(rightFile))), headers: gzip },
  { ...text("a bomb of spaces", gzipSync(Buffer.alloc(300 * mebi, 32))), headers: gzip },
  {
    ...text("a bomb of one text", gzipSync(Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(300 * mebi, 97)]))),
    headers: gzip,
  },
  { ...text("an archive that leaves its folder", gzipSync(tar("../../etc/cron.d/x", "x"))), headers: gzip },
  { ...text("an archive with an absolute path", gzipSync(tar("/etc/passwd", "x"))), headers: gzip },
  { ...text("an archive with a link", gzipSync(tar("blobs/x", "", "2", "/etc/passwd"))), headers: gzip },
  { ...text("an archive with a device", gzipSync(tar("blobs/x", "", "3"))), headers: gzip },
  { ...text("an archive without a file of ours", gzipSync(tar("readme.txt", "x"))), headers: gzip },
  {
    ...text("an archive whose bytes are not those of their name", gzipSync(tar(`blobs/${"ab".repeat(32)}`, "x"))),
    headers: gzip,
  },
  {
    ...text("a form", "a=b", "unsupported_media_type"),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  },
  { ...text("plain text", rightFile, "unsupported_media_type"), headers: { "content-type": "text/plain" } },
  { ...text("an unknown coding", rightFile, "unsupported_media_type"), headers: { "content-encoding": "br" } },
  { ...text("a file of 1 TB", rightFile, "payload_too_large"), headers: { "content-length": String(2 ** 40) } },
];
