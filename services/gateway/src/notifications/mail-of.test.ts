import { expect, test } from "@jest/globals";
import type { Digest, ToldPages } from "@web-tester/contracts/entities/digest";
import { mailOf } from "./mail-of.js";

const none: ToldPages = { total: 0, pages: [] };
const idOf = (index: number) => `0198f7d2-0000-7000-8000-00000000000${index}`;
/** A digest with a footer that changed on 500 pages, and further groups of changes. */
const digestOf = (groups: number): Digest => ({
  ...{ id: idOf(9), time: "2026-11-24T00:00:00Z" },
  sections: [
    {
      object: { id: idOf(8), name: "The shop", url: "http://a.test/", link: "http://here/objects/1" },
      run: null,
      ...{ changed: 500, groups_total: groups, strange: [], notes: [] },
      ...{ new: none, gone: none, moved: none, unlinked: none, failing: none, recovered: none },
      groups: Array.from({ length: groups }, (_, index) => ({
        ...{ pages: 500, removed: "© 2025", added: "© 2026" },
        sample: {
          path: `/p${index}`,
          url: "http://a.test/p",
          link: "http://here/d",
          said: "",
          snapshot_id: idOf(index),
        },
      })),
    },
  ],
});
const going = new AbortController().signal;
const sized = (bytes: number) => async () => Buffer.alloc(bytes);

test("a mail shows the pages of its first groups, three at most, by pictures that it carries", async () => {
  const { html, pictures } = await mailOf(digestOf(5), ["a@example.org"], sized(4_000), going);
  expect(pictures).toHaveLength(3);
  for (const { cid } of pictures) expect(html).toContain(`src="cid:${cid}"`);
  expect(html.match(/<img/g)).toHaveLength(3);
});

test("pictures take the room that words leave: together they stay below 30 KB", async () => {
  const { html, text, pictures } = await mailOf(digestOf(1), ["a@example.org"], sized(12_000), going);
  expect(pictures).toHaveLength(1);
  const three = await mailOf(digestOf(3), ["a@example.org"], sized(8_000), going);
  expect(three.pictures).toHaveLength(2);
  const huge = await mailOf(digestOf(1), ["a@example.org"], sized(40_000), going);
  expect([huge.pictures, huge.html.includes("<img")]).toEqual([[], false]);
  const whole = (Buffer.byteLength(html) + Buffer.byteLength(text) + 12_000) * 1.38 + 2_000;
  expect(whole).toBeLessThan(30_000);
});

test("a picture that cannot be drawn is left out", async () => {
  const failing = () => Promise.reject(new Error("no browser"));
  const { html, pictures } = await mailOf(digestOf(2), ["a@example.org"], failing, going);
  expect([pictures, html.includes("<img")]).toEqual([[], false]);
});
