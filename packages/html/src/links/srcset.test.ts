import { expect, test } from "@jest/globals";
import { mapSrcset } from "./srcset.js";

test.each([
  ["a.png", "A.PNG"],
  ["a.png 1x, b.png 2x", "A.PNG 1x, B.PNG 2x"],
  ["a.png 100w,b.png 200w", "A.PNG 100w, B.PNG 200w"],
  [" , a.png,, b.png 2x , ", "A.PNG, B.PNG 2x"],
  ["a,b.png 1x", "A,B.PNG 1x"],
  ["a.png 1x (a,b), c.png", "A.PNG 1x (a,b), C.PNG"],
  ["drop.png 1x, b.png 2x", "B.PNG 2x"],
  ["drop.png", ""],
  ["", ""],
  ["data:image/png;base64,AA== 1x", "DATA:IMAGE/PNG;BASE64,AA== 1x"],
])("%s becomes %s", (srcset, expected) => {
  expect(mapSrcset(srcset, (url) => (url === "drop.png" ? null : url.toUpperCase()))).toBe(expected);
});
