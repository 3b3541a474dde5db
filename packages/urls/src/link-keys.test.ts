import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { eachReferrer, linkKey, packLinks } from "./link-keys.js";

test("keys of 200,000 addresses that look alike differ", () => {
  const keys = new Set<number>();
  for (let number = 0; number < 100_000; number += 1) {
    keys.add(linkKey(`https://site.test/page/${number}.html`));
    keys.add(linkKey(`https://site.test/page?id=${number}&sort=asc`));
  }
  expect(keys.size).toBe(200_000);
  for (const key of [...keys].slice(0, 20)) {
    expect(Number.isSafeInteger(key)).toBe(true);
    expect(key).toBeGreaterThan(0);
  }
});

test("what was packed is found again, page by page", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 20 }), { maxLength: 40 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 10 }),
      (pages, wanted) => {
        const packed = packLinks(pages.map((keys, index) => ({ pageId: `p${index}`, keys })));
        const found: string[] = [];
        if (packed !== null) eachReferrer(packed, new Set(wanted), (key, pageId) => found.push(`${key} ${pageId}`));
        const expected = pages.flatMap((keys, index) =>
          [...new Set(keys)].filter((key) => wanted.includes(key)).map((key) => `${key} p${index}`),
        );
        expect(found.toSorted()).toEqual(expected.toSorted());
      },
    ),
  );
});

test("pages without links take no place", () => {
  expect(packLinks([])).toBeNull();
  expect(packLinks([{ pageId: "a", keys: [] }])).toBeNull();
  // links that all pages of a batch share are stored once
  const shared = Array.from({ length: 100 }, (_, index) => index + 1);
  const packed = packLinks(Array.from({ length: 16 }, (_, index) => ({ pageId: `${index}`, keys: shared })));
  expect(packed?.links.length).toBe(100 * 10);
});
