import { afterEach, expect, jest, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { whileUnavailable } from "./while-unavailable.js";

const signal = new AbortController().signal;
const away = new AppError("unavailable", "The database does not answer.");

/** Work that fails so often, and sets the clock by `byMs` when it fails first. */
function failing(times: number, byMs = 0) {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries === 1 && byMs !== 0) {
      const now = Date.now;
      jest.spyOn(Date, "now").mockImplementation(() => now() + byMs);
    }
    if (tries <= times) throw away;
    return tries;
  };
}

afterEach(() => void jest.restoreAllMocks());

test("work is repeated while a part is away, and any other error is thrown at once", async () => {
  expect(await whileUnavailable(failing(1), 5_000, signal)).toBe(2);
  const refused = new AppError("invalid_input", "No.");
  await expect(whileUnavailable(() => Promise.reject(refused), 5_000, signal)).rejects.toBe(refused);
});

test("a clock that is set back does not make it wait longer", async () => {
  await expect(whileUnavailable(failing(6, -3_600_000), 500, signal)).rejects.toBe(away);
});

test("a clock that is set forward does not make it give up", async () => {
  expect(await whileUnavailable(failing(1, 24 * 3_600_000), 5_000, signal)).toBe(2);
});
