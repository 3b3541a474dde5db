import { expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { recordApart } from "./record-apart.js";

const refusal = (value: number) => Object.assign(new Error(`value ${value} is too large`), { code: "22003" });
const lessen = (item: number) => -item;

/** Refuses a group that contains one of `bad`. */
function recorder(bad: readonly number[]) {
  const groups: (readonly number[])[] = [];
  return {
    groups,
    record: async (items: readonly number[]) => {
      const found = items.find((item) => bad.includes(item));
      if (found !== undefined) throw refusal(found);
      groups.push(items);
      return items.length;
    },
  };
}

test("a group that is taken is recorded at once", async () => {
  const { record, groups } = recorder([]);
  expect(await recordApart([1, 2, 3], record, lessen)).toEqual([3]);
  expect(groups).toEqual([[1, 2, 3]]);
});

test.each([[[5]], [[1]], [[8]], [[2, 3]], [[1, 2, 3, 4, 5, 6, 7, 8]]])(
  "with %j refused, each item is recorded once, the bad ones without what made them so",
  async (bad) => {
    const items = [1, 2, 3, 4, 5, 6, 7, 8];
    const { record, groups } = recorder(bad);
    const sizes = await recordApart(items, record, lessen);
    expect(groups.flat()).toEqual(items.map((item) => (bad.includes(item) ? -item : item)));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(8);
  },
);

test("the reason goes with the bad item", async () => {
  const { record } = recorder([4]);
  const reasons: string[] = [];
  await recordApart([3, 4], record, (item, reason) => {
    reasons.push(reason);
    return -item;
  });
  expect(reasons).toEqual(["value 4 is too large"]);
});

test.each([
  ["an outage", new AppError("unavailable", "away")],
  ["a bug", new TypeError("x is undefined")],
  ["a lost connection", Object.assign(new Error("closed"), { code: "ECONNRESET" })],
])("%s is nobody's fault: nothing is split", async (_, error) => {
  let calls = 0;
  const failing = async () => {
    calls += 1;
    throw error;
  };
  await expect(recordApart([1, 2, 3, 4], failing, lessen)).rejects.toBe(error);
  expect(calls).toBe(1);
});

test("an item that is refused in any form is not tried for ever", async () => {
  let calls = 0;
  const refusing = async () => {
    calls += 1;
    throw refusal(1);
  };
  await expect(recordApart([1], refusing, lessen)).rejects.toThrow("too large");
  expect(calls).toBe(2);
});
