import { expect, test } from "@jest/globals";
import { explainMisses } from "./exclude-misses.js";

const urls = [
  "https://e.org/",
  "https://e.org/Admin/users",
  "https://e.org/shop/list?sort=price",
  "https://e.org/shop/list?sort=name",
  "https://e.org/blog/2026/post.html",
].map((url) => new URL(url));

test.each([
  ["/shop", "end", "/shop*", 2],
  ["/list", "beginning", "*/list", 2],
  ["post", "middle", "*post*", 1],
  ["sort=price", "query", "*?*sort=price*", 1],
  ["/shop/list?order=*", "query", "/shop/list*", 2],
  ["/admin/users", "case", null, 1],
  ["/zebra", "nothing", null, 0],
])("%s meets nothing because of its %s", (pattern, why, instead, count) => {
  expect(explainMisses([pattern], urls)).toEqual([{ pattern, why, instead, count }]);
});

test("many patterns and addresses cost little", () => {
  const many = Array.from({ length: 20_000 }, (_, index) => new URL(`https://e.org/p/${index}`));
  expect(
    explainMisses(
      Array.from({ length: 100 }, (_, index) => `/q${index}`),
      many,
    ),
  ).toHaveLength(5);
});
