import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { Places } from "./places.js";

const hour = 3_600_000;
const answer = () => new ServerResponse(new IncomingMessage(new Socket()));

/** A reader has the only place and takes 20 pieces, each in so many milliseconds. @returns whether it loses the place */
async function givesWay(takesMs: number, isWaitedFor: boolean): Promise<boolean> {
  let now = 0;
  const places = new Places({ most: 1, waitMs: hour, givesWayMs: 10_000, pieceMs: 4_000, nowMs: () => now });
  const reader = answer();
  const place = await places.take(reader);
  const other = answer();
  const waiting = isWaitedFor ? places.take(other) : null;
  for (let pieces = 0; pieces < 20 && !reader.destroyed; pieces++) {
    place?.stalls();
    now += takesMs;
    place?.moves();
  }
  const isEnded = reader.destroyed;
  other.emit("close");
  await waiting;
  return isEnded;
}

test.each([
  ["a reader who takes a piece every 9 s", 9_000, true, true],
  ["a reader who takes as much where nobody waits", 9_000, false, false],
  ["a phone on a line of 64 kB/s", 1_024, true, false],
  ["a reader at the least rate", 4_000, true, false],
])("%s", async (_reader, takesMs, isWaitedFor, isEnded) => {
  expect(await givesWay(takesMs, isWaitedFor)).toBe(isEnded);
});
