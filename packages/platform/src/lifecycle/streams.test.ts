import { Transform } from "node:stream";
import { createGunzip, createGzip, gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Pieces, through } from "./streams.js";

const noise = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, at) => (at * 2_654_435_761) >>> 24));

/** A source that tells whether it was ended. @param failsAfter pieces, after which it throws */
function source(pieces: number, failsAfter = Number.POSITIVE_INFINITY) {
  const state = { given: 0, ended: false };
  async function* give(): AsyncGenerator<Uint8Array> {
    try {
      for (; state.given < pieces; state.given += 1) {
        if (state.given === failsAfter) throw new Error("the source broke");
        yield noise(50_000);
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, pieces: give() };
}

test("gives what the step makes of the source, whole", async () => {
  const parts: Buffer[] = [];
  for await (const part of through(source(5).pieces, createGzip())) parts.push(part);
  expect(gunzipSync(Buffer.concat(parts))).toEqual(Buffer.concat(Array.from({ length: 5 }, () => noise(50_000))));
});

test.each([0, 1, 3])(
  "a reader who stops after %i pieces ends the source, and nothing is thrown at anybody",
  async (after) => {
    const { state, pieces } = source(1_000);
    const gzip = createGzip();
    let read = 0;
    for await (const part of through(pieces, gzip)) {
      expect(part.length).toBeGreaterThan(0);
      if (read++ === after) break;
    }
    expect([state.ended, gzip.destroyed, state.given < 1_000]).toEqual([true, true, true]);
  },
);

test("an error of the source reaches the reader", async () => {
  const { pieces } = source(10, 3);
  const read = async () => {
    for await (const part of through(pieces, createGzip())) expect(part.length).toBeGreaterThan(0);
  };
  await expect(read()).rejects.toThrow("the source broke");
});

test("an error of the step reaches the reader and ends the source", async () => {
  const { state, pieces } = source(1_000);
  const read = async () => {
    for await (const part of through(pieces, createGunzip())) expect(part.length).toBeGreaterThan(0);
  };
  await expect(read()).rejects.toMatchObject({ code: "Z_DATA_ERROR" });
  expect(state.ended).toBe(true);
});

test("bytes that a step holds back come at the end", async () => {
  const last = new Transform({
    transform: (_piece, _encoding, done) => done(),
    flush: (done) => done(null, Buffer.from("end")),
  });
  const parts: Buffer[] = [];
  for await (const part of through([gzipSync("a")] as unknown as AsyncIterable<Uint8Array>, last)) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe("end");
});

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
