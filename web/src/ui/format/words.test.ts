import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  allShown,
  counted,
  formatCount,
  lastTwoSegments,
  pathOf,
  shortUrl,
  someShown,
  truncateMiddle,
  readable,
} from "./words.js";

test("counts carry their noun and their thousands apart", () => {
  expect(formatCount(3057)).toBe("3,057");
  expect(counted(1, "snapshot")).toBe("1 snapshot");
  expect(counted(0, "snapshot")).toBe("0 snapshots");
  expect(counted(1208, "copy", "copies")).toBe("1,208 copies");
});

test("a list of one thing does not say that all of it is shown", () => {
  expect(allShown(1, "object")).toBe("1 object shown");
  expect(allShown(1208, "object")).toBe("All 1,208 objects shown");
  expect(someShown(0, 1, "object")).toBe("0 of 1 object shown");
  expect(someShown(3, 20, "changed page")).toBe("3 of 20 changed pages shown");
});

test.each([
  ["/srv/data/assets", "data/assets"],
  ["data/assets/", "data/assets"],
  ["C:\\data\\assets", "data/assets"],
  ["assets", "assets"],
  ["", ""],
])("the last two segments of %p are %p", (path, text) => expect(lastTwoSegments(path)).toBe(text));

test.each([
  ["https://docs.example/", "docs.example"],
  ["http://docs.example/a/", "docs.example/a/"],
  ["docs", "docs"],
])("%p is said as %p", (url, text) => expect(shortUrl(url)).toBe(text));

test("a page is named by its path inside its own site only", () => {
  expect(pathOf("https://a.example/x?y=1", "https://a.example/docs")).toBe("/x?y=1");
  expect(pathOf("https://b.example/x", "https://a.example/")).toBe("https://b.example/x");
  expect(pathOf("no address", "https://a.example/")).toBe("no address");
});

test("shortening keeps both ends and the promised length", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.integer({ min: 3, max: 60 }), (text, max) => {
      const short = truncateMiddle(text, max);
      expect(short.length).toBeLessThanOrEqual(Math.max(max, 3));
      if (text.length <= max) expect(short).toBe(text);
      else expect(text.startsWith(short.split("…")[0] ?? "")).toBe(true);
    }),
  );
});

test.each([
  ["/%C3%BCber/%E6%97%A5%E6%9C%AC", "/über/日本"],
  ["/a%20b%2Fc?q=%26", "/a%20b%2Fc?q=%26"],
  ["/%E2%80%AEevil", "/%E2%80%AEevil"],
  ["/%FF%C3", "/%FF%C3"],
  ["/plain", "/plain"],
])("%j is read as %j", (address, text) => expect(readable(address)).toBe(text));
