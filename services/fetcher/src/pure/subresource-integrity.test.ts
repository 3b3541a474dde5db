import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { isNamedFile } from "./subresource-integrity.js";

const file = Buffer.from("p { color: green } /* \u00fe\u00ff?~ */");
const named = (algorithm: string, bytes = file) =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest("base64")}`;
const other = Buffer.from("p { color: red }");

test.each<[what: string, integrity: string, isNamed: boolean]>([
  ["its digest", named("sha256"), true],
  ["a longer digest", named("sha384"), true],
  ["the longest digest", named("sha512"), true],
  ["the digest of another file", named("sha256", other), false],
  ["a longer digest of another file", named("sha384", other), false],
  ["one of two digests", `${named("sha384", other)}  ${named("sha384")}`, true],
  ["a weak digest beside a strong one of another file", `${named("sha256")} ${named("sha512", other)}`, false],
  ["a strong digest beside a weak one of another file", `${named("sha256", other)}\n${named("sha512")}`, true],
  ["a digest with an option", `${named("sha256")}?ct=text/css`, true],
  ["a digest in the letters of addresses", named("sha512").replaceAll("+", "-").replaceAll("/", "_"), true],
  ["an algorithm in capitals", named("sha256", other).replace("sha", "SHA"), false],
  ["nothing", "", true],
  ["what no browser understands", "md5-AAAA sha1-BBBB x", true],
])("a file that a page names by %s", (_what, integrity, isNamed) => {
  expect(isNamedFile(file, integrity)).toBe(isNamed);
});
