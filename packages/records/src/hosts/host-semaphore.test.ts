import { expect, test } from "@jest/globals";
import { type SlotKind, slotsFor } from "./host-semaphore.js";

const kinds: readonly SlotKind[] = ["now", "bulk", "crawl"];

test.each([1, 2, 3, 4, 8, 64])("of %d places none lies outside, and every kind has one", (size) => {
  for (const kind of kinds) {
    const slots = slotsFor(kind, size);
    expect(slots.length).toBeGreaterThan(0);
    expect(new Set(slots).size).toBe(slots.length);
    for (const slot of slots) expect(slot >= 0 && slot < size).toBe(true);
  }
});

test("from two on crawls and fetches have a place that the other does not take", () => {
  for (const size of [2, 3, 8]) {
    expect(slotsFor("now", size)).not.toContain(slotsFor("crawl", size)[0]);
    expect(slotsFor("crawl", size)).not.toContain(slotsFor("now", size)[0]);
  }
});

test("from four on a person's single fetch waits for nobody else's kind", () => {
  expect(slotsFor("bulk", 8)).not.toContain(slotsFor("now", 8)[0]);
  expect(slotsFor("crawl", 8)).not.toContain(slotsFor("now", 8)[0]);
});
