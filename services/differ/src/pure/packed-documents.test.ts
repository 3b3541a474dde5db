import { expect, test } from "@jest/globals";
import { packDocuments, unpackDocuments } from "./packed-documents.js";

const own = (text: string) => {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
};

test("documents come out as they went in, and memory that is theirs alone is free at once", () => {
  const shared = Buffer.from("a page in a piece of memory with others");
  const neighbour = shared.subarray(2);
  const documents = [
    { bytes: own("a page of its own"), charset: "utf-8" },
    { bytes: own(""), charset: "utf-8" },
    { bytes: shared, charset: "windows-1252" },
  ];
  const packed = packDocuments(documents);
  expect(unpackDocuments(packed).map(({ bytes, charset }) => [Buffer.from(bytes).toString(), charset])).toEqual([
    ["a page of its own", "utf-8"],
    ["", "utf-8"],
    ["a page in a piece of memory with others", "windows-1252"],
  ]);
  expect(documents.map(({ bytes }) => bytes.length)).toEqual([0, 0, shared.length]);
  expect(neighbour.toString()).toBe("page in a piece of memory with others");
});

test("memory that comes back is used again where it is large enough", () => {
  const first = packDocuments([{ bytes: own("longer than the next"), charset: "utf-8" }]);
  const second = packDocuments([{ bytes: own("the next"), charset: "utf-8" }], first.bytes);
  expect(second.bytes).toBe(first.bytes);
  expect(unpackDocuments(second).map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["the next"]);
  const third = packDocuments([{ bytes: own("much longer than what came first"), charset: "utf-8" }], second.bytes);
  expect(third.bytes).not.toBe(second.bytes);
});
