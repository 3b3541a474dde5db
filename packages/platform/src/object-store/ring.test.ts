import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createRing } from "./ring.js";

const length = 64;

test("what is found was written by nobody else since, whatever was taken, found and dropped", () => {
  const names = fc.constantFrom(..."abcdefghij");
  const step = fc.oneof(
    fc.record({ name: names, take: fc.integer({ min: 0, max: length }) }),
    fc.record({ name: names, take: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ name: names, take: fc.constant(null) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ring = createRing(length);
      const room = Buffer.alloc(length);
      steps.forEach(({ name, take }, at) => {
        if (take === null) {
          ring.drop(name);
          expect(ring.find(name)).toBeUndefined();
        } else {
          const start = ring.take(name, take);
          expect(start + take).toBeLessThanOrEqual(length);
          room.fill(name, start, start + take);
          expect({ at, found: ring.find(name) }).toEqual({ at, found: { start, length: take } });
        }
        for (const known of "abcdefghij") {
          const piece = ring.find(known);
          if (piece !== undefined)
            expect(room.toString("latin1", piece.start, piece.start + piece.length)).toBe(known.repeat(piece.length));
        }
      });
    }),
    { numRuns: 2000 },
  );
});

test("keeps what came last, as much as there is room for", () => {
  const ring = createRing(length);
  for (let i = 0; i < 20; i++) ring.take(String(i), 16);
  expect(Array.from({ length: 20 }, (_, i) => ring.find(String(i))?.start)).toEqual([
    ...Array.from({ length: 16 }, () => undefined),
    ...[0, 16, 32, 48],
  ]);
});

test("gives the room of the last one out again when it is dropped", () => {
  const ring = createRing(length);
  ring.take("first", 8);
  for (let i = 0; i < 20; i++) {
    expect(ring.take("one after the other", 48)).toBe(8);
    ring.drop("one after the other");
  }
  expect(ring.find("first")).toEqual({ start: 0, length: 8 });
});

test("has room for nothing larger than itself", () => {
  const ring = createRing(length);
  ring.take("kept", 8);
  expect(() => ring.take("larger", length + 1)).toThrow(/no room/);
  expect(ring.find("kept")).toBeDefined();
});
