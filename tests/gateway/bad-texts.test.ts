import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { limits } from "@web-tester/contracts/limits";
import { isVisible } from "@web-tester/contracts/visible-text";
import { z } from "zod";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { readRefusal, send } from "../support/raw-calls.js";

/** Hostile texts come back exactly as they were sent (names in Unicode NFC), or are refused with a message. */
let product: Product;
let objectId: string;

beforeAll(async () => {
  product = await shareProduct();
  objectId = await register(product, "https://example.org/");
});
afterAll(async () => {
  await product.stop();
});

const data = process.env["CONFORMANCE_DATA"] ?? "";
const conformanceTest = data === "" ? test.skip : test;
const naughty: string[] =
  data === "" ? [] : z.array(z.string()).parse(JSON.parse(readFileSync(join(data, "naughty-strings.json"), "utf8")));

const ownHostile = [
  "NUL \0 inside",
  "\ud800 high surrogate alone",
  "low surrogate alone \udfff",
  "\udfff\ud800 the wrong way round",
  "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 e\u0301 \u202eright to left",
  "\uffff \ufffe \ufdd0 noncharacters",
  "'; DROP TABLE test_object; --",
  "$1 %s {0} \\u0000 \\x00 \\0",
  "__proto__",
  "x".repeat(limits.nameMaxChars),
  "x".repeat(limits.nameMaxChars + 1),
  "💥".repeat(limits.nameMaxChars),
];

test("names", async () => {
  for (const text of [...ownHostile, ...naughty]) {
    const answer = await patch({ name: text });
    const name = text.normalize("NFC").trim();
    const isKept =
      isVisible(name) && [...name].length <= limits.nameMaxChars && name.isWellFormed() && !name.includes("\0");
    expect([text, answer.status]).toEqual([text, isKept ? 200 : 400]);
    if (!isKept) {
      expect(readRefusal(answer)).toMatchObject({
        details: [expect.objectContaining({ path: "body.name" })],
      });
      continue;
    }
    // the answer is read from the database again after the text was written
    expect(JSON.parse(answer.text)).toMatchObject({ name });
  }
});

test("names of new objects", async () => {
  for (const text of ownHostile.filter((each) => each.isWellFormed() && !each.includes("\0"))) {
    const answer = await send(product, {
      method: "POST",
      path: "/api/testobjects",
      body: JSON.stringify({ name: text, url: "https://example.org/" }),
    });
    if ([...text].length > limits.nameMaxChars) expect(readRefusal(answer).status).toBe(400);
    else
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        expect.any(Number),
        expect.objectContaining({ name: text.normalize("NFC") }),
      ]);
  }
});

test("user names and exclude patterns", async () => {
  for (const text of [...ownHostile, ...naughty]) {
    const isText = text.isWellFormed() && !text.includes("\0");
    const user = await patch({ auth_username: text });
    expect([text, user.status]).toEqual([text, isText ? 200 : 400]);
    if (isText) expect(JSON.parse(user.text)).toMatchObject({ auth_username: text });
    else readRefusal(user);

    const pattern = text.trim();
    const excluded = await patch({ exclude_list: [text] });
    const isKept = isText && pattern.length <= limits.excludePatternMaxChars;
    expect([text, excluded.status]).toEqual([text, isKept ? 200 : 400]);
    if (isKept) expect(JSON.parse(excluded.text)).toMatchObject({ exclude_list: pattern === "" ? [] : [pattern] });
    else readRefusal(excluded);
  }
});

test("secrets are taken, and never come back", async () => {
  const secret = "correct horse \ufffe battery 💥 staple";
  const answer = await patch({ auth_password: secret });
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, expect.objectContaining({ auth_password_set: true })]);
  expect(answer.text).not.toContain("horse");
  const [row] = await product.db.query<{ text: string }>("SELECT o::text AS text FROM test_object o WHERE id = $1", [
    objectId,
  ]);
  expect(row?.text).not.toContain(Buffer.from("horse").toString("hex"));
  expect(readRefusal(await patch({ auth_password: "\ud800" })).status).toBe(400);
});

test("search texts and ids", async () => {
  for (const text of [...ownHostile, ...naughty].filter((each) => each.isWellFormed())) {
    const found = await send(product, {
      method: "GET",
      path: `/api/testobjects/${objectId}/testinstances?${new URLSearchParams({ q: text }).toString()}`,
    });
    expect([text, found.status]).toEqual([text, [...text].length > 200 || text.includes("\0") ? 400 : 200]);
    const byId = await send(product, { method: "GET", path: `/api/testsnapshots/x${encodeURIComponent(text)}` });
    expect([text, byId.status]).toEqual([text, 404]);
  }
});

conformanceTest("the list of naughty strings was among them (needs CONFORMANCE_DATA)", () => {
  expect(naughty.length).toBeGreaterThan(400);
});

function patch(change: Record<string, unknown>) {
  return send(product, { method: "PATCH", path: `/api/testobjects/${objectId}`, body: JSON.stringify(change) });
}

test("the branch that a badge is asked for", async () => {
  const { url } = await product.rest.call("createBadge", { params: { id: objectId } });
  const badge = product.address + new URL(url).pathname;
  const refused: unknown[] = [];
  for (const text of [...ownHostile, ...naughty]) {
    const { status } = await fetch(`${badge}?branch=${encodeURIComponent(text.toWellFormed())}`);
    if (status === 400) refused.push(text);
    else expect([text, status]).toEqual([text, 200]);
  }
  expect(refused).toContain("NUL \0 inside");
  expect((await fetch(`${badge}?branch=main`)).status).toBe(200);
  expect((await fetch(`${badge}?branch=main&branch=next`)).status).toBe(400);
});
