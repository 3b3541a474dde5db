import { expect, test } from "@jest/globals";
import { RecordQueue } from "./record-queue.js";

/** A queue whose writes end when the test ends them. */
function start(options: { rowsMax?: number; weightMax?: number } = {}) {
  const groups: { items: number[]; end: PromiseWithResolvers<string> }[] = [];
  let empty = 0;
  const queue = new RecordQueue<number, string>({
    write(items) {
      const end = Promise.withResolvers<string>();
      groups.push({ items, end });
      return end.promise;
    },
    onEmpty: () => empty++,
    rowsMax: options.rowsMax ?? 3,
    waitMaxMs: 3_600_000,
    ...(options.weightMax === undefined ? {} : { weightMax: options.weightMax, weightOf: (item: number) => item }),
  });
  const items = () => groups.map((group) => group.items);
  return { queue, groups, items, emptied: () => empty };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("items wait until there are enough of them, and all are told what became of their group", async () => {
  const { queue, groups, items, emptied } = start();
  const told = [queue.add(1), queue.add(2)];
  expect(items()).toEqual([]);
  told.push(queue.add(3));
  expect(items()).toEqual([[1, 2, 3]]);
  groups[0]?.end.resolve("written");
  expect(await Promise.all(told)).toEqual(["written", "written", "written"]);
  await settled();
  expect(emptied()).toBe(1);
});

test("one group is written at a time; what comes meanwhile makes the next, however much it is", async () => {
  const { queue, groups, items } = start({ rowsMax: 1 });
  void queue.add(1);
  for (const item of [2, 3, 4]) void queue.add(item);
  expect(items()).toEqual([[1]]);
  groups[0]?.end.resolve("");
  await settled();
  expect(items()).toEqual([[1], [2, 3, 4]]);
});

test("a heavy group does not wait", () => {
  const { queue, items } = start({ weightMax: 10 });
  void queue.add(4);
  expect(items()).toEqual([]);
  void queue.add(6);
  expect(items()).toEqual([[4, 6]]);
});

test("asked to, it writes what there is; a group that failed fails its own items alone", async () => {
  const { queue, groups, items } = start();
  const first = queue.add(1);
  queue.flush();
  expect(items()).toEqual([[1]]);
  const second = queue.add(2);
  queue.flush();
  groups[0]?.end.reject(new Error("the database is away"));
  await expect(first).rejects.toThrow("away");
  await settled();
  groups[1]?.end.resolve("written");
  expect(await second).toBe("written");
});
