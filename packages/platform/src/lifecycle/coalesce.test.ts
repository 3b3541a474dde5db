import { expect, test } from "@jest/globals";
import { coalesceReads, coalesceRuns } from "./coalesce.js";

/** A read that the test answers by hand; it counts how often it was begun. */
function openRead() {
  const begun: { answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const read = () =>
    new Promise<string>((answer, fail) => {
      begun.push({ answer, fail });
    });
  return { begun, read };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("who asks while a question is under way shares the next one, which is begun after all of them asked", async () => {
  const share = coalesceReads();
  const { begun, read } = openRead();
  const first = share("page 1", read);
  const others = [share("page 1", read), share("page 1", read), share("page 1", read)];
  await settled();
  expect(begun).toHaveLength(1);
  begun[0]?.answer("before the others asked");
  await expect(first).resolves.toBe("before the others asked");
  await settled();
  expect(begun).toHaveLength(2);
  const late = share("page 1", read);
  begun[1]?.answer("after they asked");
  await expect(Promise.all(others)).resolves.toEqual(Array.from({ length: 3 }, () => "after they asked"));
  await settled();
  expect(begun).toHaveLength(3);
  begun[2]?.answer("after the late one asked");
  await expect(late).resolves.toBe("after the late one asked");
});

test("one after the other, each is begun anew", async () => {
  const share = coalesceReads();
  for (const value of ["one", "two", "three"]) await expect(share("page", async () => value)).resolves.toBe(value);
});

test("other questions wait for nobody", async () => {
  const share = coalesceReads();
  const [one, other] = [openRead(), openRead()];
  const first = share("page 1", one.read);
  const second = share("page 2", other.read);
  other.begun[0]?.answer("2");
  await expect(second).resolves.toBe("2");
  one.begun[0]?.answer("1");
  await expect(first).resolves.toBe("1");
});

test("a failure reaches those who shared the question and nobody after them", async () => {
  const share = coalesceReads();
  const { begun, read } = openRead();
  const first = share("page", read);
  const second = share("page", read);
  const third = share("page", read);
  begun[0]?.fail(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  await settled();
  begun[1]?.fail(new Error("lost again"));
  await expect(second).rejects.toThrow("lost again");
  await expect(third).rejects.toThrow("lost again");
  const after = share("page", read);
  begun[2]?.answer("back");
  await expect(after).resolves.toBe("back");
});

test("runs: who asks while the work goes on shares it, who asks later begins anew, and a fault is shared too", async () => {
  const share = coalesceRuns();
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async () => {
    runs++;
    await promise;
    return runs;
  };
  const [one, other, different] = [share("a", work), share("a", work), share("b", work)];
  resolve();
  expect(await Promise.all([one, other, different])).toEqual([2, 2, 2]);
  expect(await share("a", work)).toBe(3);
  const failing = async (): Promise<never> => {
    runs++;
    throw new Error("no");
  };
  const faults = await Promise.allSettled([share("c", failing), share("c", failing)]);
  expect(faults.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(runs).toBe(4);
});
