import { expect, test } from "@jest/globals";
import { siteMapsOf } from "./site-maps.js";

test("sites at the root of their hosts are read as a whole", () => {
  const map = { from: "https://a.test", to: "https://b.test" };
  expect(siteMapsOf("https://a.test/", "https://b.test/start.html")).toEqual({
    address: map,
    older: map,
    newer: undefined,
  });
});

test("a site in a folder is read as one in another folder", () => {
  const map = { from: "https://a.test/docs/", to: "https://b.test/" };
  expect(siteMapsOf("https://a.test/docs/index.html", "https://b.test/")).toEqual({
    ...{ address: map, older: map, newer: undefined },
  });
});

test("where the older site is at the root, the newer one is read as if it were", () => {
  expect(siteMapsOf("https://a.test/", "https://ci.test/pr-1/")).toEqual({
    address: { from: "https://a.test/", to: "https://ci.test/pr-1/" },
    older: { from: "https://a.test", to: "https://ci.test" },
    newer: { from: "https://ci.test/pr-1/", to: "https://ci.test/" },
  });
});

test("two folders of one host are read as they are", () => {
  expect(siteMapsOf("https://a.test/v1/", "https://a.test/v2/")).toBeUndefined();
});
