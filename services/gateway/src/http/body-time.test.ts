import { expect, test } from "@jest/globals";
import { BodyWatch, uploadMinBytes } from "./body-time.js";

const second = 1_000;
const hour = 3_600 * second;
const stallMs = 60 * second;

test("an upload may take hours as long as enough comes, and is cut when nothing does", () => {
  const upload = new BodyWatch(true, stallMs, 0);
  let received = 0;
  for (let now = 0; now < 5 * hour; now += 50 * second)
    expect(upload.isStuck({ received: (received += uploadMinBytes), waiting: 0 }, now)).toBe(false);
  const sight = { received, waiting: 0 };
  expect(upload.isStuck(sight, 5 * hour)).toBe(false);
  expect(upload.isStuck(sight, 5 * hour + 20 * second)).toBe(true);
});

test("an upload that brings a byte now and then is cut", () => {
  const upload = new BodyWatch(true, stallMs, 0);
  expect(upload.isStuck({ received: 300, waiting: 0 }, second)).toBe(false);
  for (let now = 11 * second; now <= 61 * second; now += 10 * second)
    expect(upload.isStuck({ received: 300 + now / second, waiting: 0 }, now)).toBe(now - second > stallMs);
  expect(upload.isStuck({ received: 400, waiting: 0 }, 71 * second)).toBe(true);
});

test("an upload that waits for us is not cut, and has its time again once we have taken all", () => {
  const upload = new BodyWatch(true, stallMs, 0);
  for (let now = 0; now < hour; now += 50 * second)
    expect(upload.isStuck({ received: 10, waiting: 10 }, now)).toBe(false);
  expect(upload.isStuck({ received: 10, waiting: 0 }, hour)).toBe(false);
  expect(upload.isStuck({ received: 10, waiting: 0 }, hour + 70 * second)).toBe(true);
});

test("any other body has five minutes, however it comes", () => {
  const small = new BodyWatch(false, stallMs, 0);
  expect(small.isStuck({ received: 1, waiting: 0 }, 299 * second)).toBe(false);
  expect(small.isStuck({ received: 2, waiting: 0 }, 301 * second)).toBe(true);
});
