import { describe, expect, test } from "@jest/globals";
import { ReadingEnded, Slices } from "./slices.js";

/** Spins until the time slice is used up. */
function fill(slices: Slices): void {
  while (!slices.isDue());
}

describe("a long loop in slices", () => {
  test("lets others in between, and goes on while it is wanted", async () => {
    let others = 0;
    let isOver = false;
    const tick = () => {
      others += 1;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    const slices = new Slices({ budgetMs: 60_000, tooLong: "Too long.", isWanted: async () => true });
    for (let slice = 0; slice < 5; slice += 1) {
      const before = others;
      fill(slices);
      expect(others).toBe(before);
      await slices.next();
      expect(others).toBeGreaterThan(before);
    }
    isOver = true;
  });

  test("ends at its budget of CPU time, in the words of its owner", async () => {
    const slices = new Slices({ budgetMs: 30, tooLong: "Too long.", isWanted: async () => true });
    const work = async () => {
      for (;;) {
        fill(slices);
        await slices.next();
      }
    };
    await expect(work()).rejects.toEqual(new ReadingEnded("too-long", "Too long."));
  });

  test("ends where nobody wants it any more, but not for a database that is away", async () => {
    const answers = [() => Promise.reject(new Error("away")), async () => true, async () => false];
    let asked = 0;
    const slices = new Slices({
      budgetMs: 60_000,
      tooLong: "Too long.",
      isWanted: () => (answers[asked++] ?? (async () => false))(),
    });
    const work = async () => {
      for (;;) {
        fill(slices);
        await slices.next();
      }
    };
    await expect(work()).rejects.toMatchObject({ why: "not-wanted" });
    expect(asked).toBe(3);
  });
});
