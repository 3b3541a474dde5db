import { expect, test } from "@jest/globals";
import { readSearchAddress, snapshotAddress, writeSearchAddress } from "./search-address.js";

test.each([
  ["", { q: "", idx: undefined, instance: undefined, scope: "html", view: "results" }],
  ["q=a%26b&idx=0", { q: "a&b", idx: 0, instance: undefined, scope: "html", view: "results" }],
  [
    "q=x&idx=-1&instance=&scope=pdf&view=none",
    { q: "x", idx: undefined, instance: undefined, scope: "html", view: "results" },
  ],
  ["q=x&idx=2&instance=i1&scope=text&view=history", { q: "x", idx: 2, instance: "i1", scope: "text", view: "history" }],
])("reads %j", (text, address) => {
  expect(readSearchAddress(new URLSearchParams(text))).toEqual(address);
});

test("writes what it reads, and leaves out what is empty", () => {
  const search = new URLSearchParams("instance=i1&idx=1");
  expect(writeSearchAddress(search, { q: "100% & more", idx: 0 }).toString()).toBe(
    "instance=i1&idx=0&q=100%25+%26+more",
  );
  expect(writeSearchAddress(search, { q: "", idx: undefined, instance: undefined }).toString()).toBe("");
  expect(writeSearchAddress(search, { scope: "text", view: "history" }).toString()).toBe(
    "instance=i1&idx=1&scope=text&view=history",
  );
});

test("a snapshot opens at its matches, in its HTML", () => {
  expect(snapshotAddress("s1", 'a "b"', "html")).toBe("/snapshots/s1?q=a+%22b%22");
  expect(snapshotAddress("s1", "a", "text")).toBe("/snapshots/s1");
});
