import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createFairSlots } from "./fair-slots.js";

/** Records who gets a place, in order. */
function watch(size: number, mostOfOne?: number) {
  const slots = createFairSlots(size, mostOfOne);
  const got: { key: string; give: () => void }[] = [];
  const want = (key: string, signal?: AbortSignal) =>
    slots.take(key, signal).then((give) => void got.push({ key, give }));
  const names = () => got.map(({ key }) => key);
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { slots, got, want, names, settled };
}

test("nine of one and three of another: the three get every second place", async () => {
  const { got, want, names, settled, slots } = watch(2);
  for (let index = 0; index < 9; index++) void want("hostile");
  await settled();
  for (let index = 0; index < 3; index++) void want("good");
  for (let index = 0; index < 12; index++) {
    await settled();
    got[index]?.give();
  }
  // both initial places were taken before anybody else came
  expect(names().join(" ")).toBe(
    "hostile hostile good hostile good hostile good hostile hostile hostile hostile hostile",
  );
  expect([slots.used, slots.waiting]).toEqual([0, 0]);
});

test("somebody new finds a place although the others never give theirs back", async () => {
  const { want, names, settled } = watch(3, 2);
  for (let index = 0; index < 9; index++) void want("hostile");
  await settled();
  expect(names()).toEqual(["hostile", "hostile"]);
  void want("good");
  await settled();
  expect(names()).toEqual(["hostile", "hostile", "good"]);
  // without the bound, "hostile" would have got this place
  const unbound = watch(3);
  for (let index = 0; index < 9; index++) void unbound.want("hostile");
  void unbound.want("good");
  await settled();
  expect(unbound.names()).toEqual(["hostile", "hostile", "hostile"]);
});

test("who gives up waiting is passed over, and a place given back twice counts once", async () => {
  const { got, want, names, settled, slots } = watch(1);
  void want("a");
  const stop = new AbortController();
  const given = want("b", stop.signal);
  void want("c");
  stop.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  await expect(slots.take("b", stop.signal)).rejects.toThrow("enough");
  got[0]?.give();
  got[0]?.give();
  await settled();
  expect(names()).toEqual(["a", "c"]);
  void want("d");
  await settled();
  expect([names(), slots.used, slots.waiting]).toEqual([["a", "c"], 1, 1]);
});

test("never more than there are, never more of one than it may have, and everybody gets one in the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom("a", "b", "c", "give"), { maxLength: 40 }),
      async (size, mostOfOne, steps) => {
        const { slots, got, want, settled } = watch(size, mostOfOne);
        const given = new Set<number>();
        const check = async () => {
          await settled();
          const open = got.filter((_each, index) => !given.has(index));
          expect(open.length).toBe(slots.used);
          expect(open.length).toBeLessThanOrEqual(size);
          for (const key of ["a", "b", "c"])
            expect(open.filter((each) => each.key === key).length).toBeLessThanOrEqual(mostOfOne);
        };
        const giveOne = () => {
          const index = got.findIndex((_each, at) => !given.has(at));
          if (index === -1) return;
          given.add(index);
          got[index]?.give();
        };
        for (const step of steps) {
          if (step === "give") giveOne();
          else void want(step);
          await check();
        }
        const wanted = steps.filter((step) => step !== "give").length;
        while (given.size < wanted) {
          giveOne();
          await check();
        }
        expect([got.length, slots.used, slots.waiting]).toEqual([wanted, 0, 0]);
      },
    ),
    { numRuns: 50 },
  );
});
