import { expect, test } from "@jest/globals";
import { Topics } from "./topics.js";

test("listening twice is listening once; leaving leaves nothing behind", () => {
  const topics = new Topics<string>(2);
  expect(topics.add("ann", "a")).toBe(true);
  expect(topics.add("ann", "a")).toBe(true);
  expect(topics.add("bob", "a")).toBe(true);
  expect([...topics.of("a")]).toEqual(["ann", "bob"]);
  topics.remove("ann", "a");
  topics.remove("ann", "never listened to");
  expect([...topics.of("a")]).toEqual(["bob"]);
  topics.removeAll("bob");
  topics.removeAll("stranger");
  expect([...topics.of("a")]).toEqual([]);
});

test("a peer at its limit gets no more, and room again after leaving", () => {
  const topics = new Topics<string>(2);
  expect(["a", "b", "c", "b"].map((topic) => topics.add("ann", topic))).toEqual([true, true, false, true]);
  expect([...topics.of("c")]).toEqual([]);
  topics.remove("ann", "a");
  expect(topics.add("ann", "c")).toBe(true);
});
