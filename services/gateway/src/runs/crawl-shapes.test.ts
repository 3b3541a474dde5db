import { expect, test } from "@jest/globals";
import { shapeOf } from "./crawl-shapes.js";

test.each([
  [
    "https://e.org/index.php?title=Special:Log&page=A",
    "https://e.org/index.php?title=Special:What&target=Z",
    { pattern: "/index.php?title=Special:*", differs_in: "?title=Special:…" },
  ],
  ["https://e.org/list?sort=a", "https://e.org/list?sort=z&p=2", { pattern: "/list?sort=*", differs_in: "?sort=…" }],
  ["https://e.org/v2/list?go", "https://e.org/v2/list?went", { pattern: "/v2/list?go*", differs_in: "?go…" }],
  ["https://e.org/12/list?p=1", "https://e.org/13/list?p=9", { pattern: "/*/list?p=*", differs_in: "?p=…" }],
  [
    "https://e.org/v2/cal/2026/01",
    "https://e.org/v2/cal/2099/12",
    { pattern: "/v2/cal/*/*", differs_in: "/v2/cal/…/…" },
  ],
  ["https://e.org/article/1", "https://e.org/article/999", null],
])("%s and %s", (first, last, shape) => expect(shapeOf(first, last)).toEqual(shape));
