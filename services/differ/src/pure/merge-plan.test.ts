import { describe, expect, test } from "@jest/globals";
import { planMerge } from "./merge-plan.js";

const megabyte = 1024 * 1024;
const packsOf = (count: number, textBytes: number, live = 10) =>
  Array.from({ length: count }, (_, at) => ({ id: `${at}`, documents: 10, live, textBytes, current: true }));
const idsOf = (...asked: Parameters<typeof planMerge>) => planMerge(...asked)?.map(({ id }) => id) ?? null;

describe("packs become one", () => {
  test("where there are four of a size, and not where they are large enough", () => {
    expect(idsOf(packsOf(4, megabyte))).toEqual(["0", "1", "2", "3"]);
    expect(idsOf(packsOf(3, megabyte))).toBeNull();
    expect(idsOf(packsOf(40, 7 * megabyte))).toBeNull();
  });

  test("alone, where half of a pack is not wanted any more", () => {
    expect(
      idsOf([...packsOf(3, 7 * megabyte), ...packsOf(1, 7 * megabyte, 4).map((pack) => ({ ...pack, id: "half" }))]),
    ).toEqual(["half"]);
  });

  test("as many as make one of 24 MiB", () => {
    expect(idsOf(packsOf(60, megabyte))).toHaveLength(24);
  });

  test("only small ones while more comes in, unless there are very many", () => {
    expect(idsOf(packsOf(4, megabyte), true)).toHaveLength(4);
    expect(idsOf(packsOf(40, 3 * megabyte), true)).toBeNull();
    expect(idsOf(packsOf(40, 3 * megabyte))).toHaveLength(8);
    expect(idsOf(packsOf(129, 3 * megabyte), true)).toHaveLength(8);
  });
});
