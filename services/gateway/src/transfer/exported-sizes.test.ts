import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createSecretBox } from "@web-tester/platform/secrets/secret-box";
import { readRecords } from "./read-records.js";
import { toStaged } from "./to-staged.js";

/** What one object or one page can have at most comes back from an export file. */
const box = createSecretBox(randomBytes(32));
const sha256 = "5e".repeat(32);
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));

/** @returns the faults of a file's records */
async function faultsOf(file: Record<string, unknown[]>): Promise<string[]> {
  async function* chunks() {
    const text = JSON.stringify(file);
    for (let at = 0; at < text.length; at += 65_536) yield Buffer.from(text.slice(at, at + 65_536));
  }
  const faults: string[] = [];
  for await (const read of readRecords(chunks())) {
    const staged = toStaged(read, box, new Set([sha256]));
    if (!staged.ok) faults.push(staged.message);
  }
  return faults;
}

const pageWith = (files: number) => ({
  testSnapshots: [
    {
      id: "s",
      testinstance_id: "i",
      state: "done",
      html_sha256: sha256,
      assets: many(files, (index) => ({
        url: `http://a.test/${index}.png`,
        base_url: "http://a.test/",
        kind: "image",
        sha256,
        content_type: "image/png",
        extension: "png",
        error: null,
      })),
    },
  ],
});

const route = (index: number) => ({
  events: ["changed", "new", "gone", "moved", "failing", "recovered", "unusual"],
  min_pages: 1,
  path: `/${index}`,
  text: "",
  failures: 1,
  cadence: { type: "weekly", day: 1, at: "09:00", time_zone: "UTC" },
  muted_until: null,
  channel: { kind: "email", name: "Team", to: many(20, (at) => `person-${at}@example.org`), chat: "", template: "" },
});
const rule = (index: number) => ({ kind: "element", selector: `.c${index}`, path: "", note: "", enabled: true });
const objectWith = (rules: number, routes: number) => ({
  testObjects: [
    { id: "o", name: "Shop", url: "http://a.test/", ignore_rules: many(rules, rule), routes: many(routes, route) },
  ],
});

test("a page with all the files that one may have is taken from an archive", async () => {
  expect(await faultsOf(pageWith(1_100))).toEqual([]);
  await expect(faultsOf(pageWith(15_000))).rejects.toThrow(/a record has more than 180000 values/);
});

test("an object with all the rules and routes that one may have is taken", async () => {
  expect(await faultsOf(objectWith(1_000, 1_000))).toEqual([]);
  expect(await faultsOf(objectWith(1_001, 1))).toEqual(["ignore_rules: are more than 1,000"]);
  expect(await faultsOf(objectWith(1, 1_001))).toEqual(["routes: are more than 1,000"]);
});
