import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Pieces } from "./pieces.js";

test("a body in pieces of one byte is kept in few buffers", () => {
  const pieces = new Pieces();
  const bytes = Buffer.alloc(1_000_000, "0123456789");
  for (let at = 0; at < bytes.length; at++) pieces.add(bytes.subarray(at, at + 1));
  expect(pieces.size).toBe(bytes.length);
  expect(pieces.held).toBeLessThan(2_048);
  expect(pieces.whole()).toEqual(bytes);
});

test("what came is what is there, however it came", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 50 }),
      fc.integer({ min: 1, max: 60 }),
      (some, times) => {
        const given = Array.from({ length: times }, () => some.map((piece) => Buffer.from(piece))).flat();
        const pieces = new Pieces();
        for (const piece of given) pieces.add(piece);
        expect(pieces.whole()).toEqual(Buffer.concat(given));
      },
    ),
    { numRuns: 30 },
  );
});

test("a single piece is not copied", () => {
  const piece = Buffer.from("all of it");
  const pieces = new Pieces();
  pieces.add(piece);
  expect(pieces.whole()).toBe(piece);
  expect(new Pieces().whole()).toHaveLength(0);
});
