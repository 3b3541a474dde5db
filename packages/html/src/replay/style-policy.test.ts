import { expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { sentPolicies } from "./content-policy.js";
import { createStylePolicy } from "./style-policy.js";

const css = "p { color: red }";
const digest = `'sha384-${createHash("sha384").update(css).digest("base64")}'`;

test.each([
  [[], false, false],
  [["img-src 'none'"], false, false],
  [["style-src 'self' 'unsafe-inline'"], false, false],
  [["default-src *"], true, true],
  [["default-src 'none'; style-src 'unsafe-inline'"], false, false],
  [["STYLE-SRC 'Unsafe-Inline'; style-src 'none'"], false, false],
  [["style-src 'self'"], true, true],
  [["style-src"], true, true],
  [["style-src 'self'; style-src-attr 'unsafe-inline'"], false, true],
  [["style-src 'self'; style-src-elem 'unsafe-inline'"], true, false],
  [["style-src 'unsafe-inline' 'nonce-abc'"], true, false],
  [["style-src 'unsafe-inline' 'nonce-other'"], true, true],
  [[`style-src ${digest}`], true, false],
  [[`style-src 'unsafe-hashes' ${digest}`], false, false],
  [["style-src 'unsafe-hashes' 'sha256-AAAA' 'sha999-x' 'sha256-"], true, true],
  [["style-src 'unsafe-inline'", "default-src 'self'"], true, true],
])("by %j an attribute is refused: %s, an element: %s", (policies, attribute, element) => {
  const policy = createStylePolicy(policies);
  expect([policy.refusesAttribute(css), policy.refusesElement(css, "abc")]).toEqual([attribute, element]);
});

test("a policy holds from where it stands", () => {
  const policy = createStylePolicy([]);
  expect(policy.refusesElement(css, undefined)).toBe(false);
  policy.add("style-src 'self'");
  expect(policy.refusesElement(css, undefined)).toBe(true);
});

test("thousands of policies and digests cost no more than the page is long", () => {
  const policy = createStylePolicy([`style-src 'unsafe-hashes' ${"'sha256-A' ".repeat(5_000)}${digest}`]);
  for (let count = 0; count < 5_000; count += 1) policy.add(`style-src 'unsafe-hashes' ${digest}`);
  policy.add("style-src 'none'");
  for (let count = 0; count < 5_000; count += 1) expect(policy.refusesAttribute(`a: ${count}`)).toBe(true);
  expect(policy.refusesAttribute(css)).toBe(false);
});

test("policies are told from headers", () => {
  expect(sentPolicies(null)).toEqual([]);
  expect(sentPolicies({ "content-security-policy": ["style-src 'self', img-src *", "x"] })).toEqual([
    "style-src 'self'",
    " img-src *",
    "x",
  ]);
});
