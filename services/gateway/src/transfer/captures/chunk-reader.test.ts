import { expect, test } from "@jest/globals";
import { ChunkReader } from "./chunk-reader.js";
import { heapMiB } from "./test-heap.js";

test("bytes that arrive one by one are not kept one by one", async () => {
  const count = 400_000;
  const before = heapMiB();
  let grown = Infinity;
  async function* byOne() {
    for (let at = 0; at < count; at++) {
      if (at === count - 1) grown = heapMiB() - before;
      yield Buffer.from([at % 251]);
    }
  }
  const read = await new ChunkReader(byOne()).read(count);
  expect(read.equals(Buffer.from(Array.from({ length: count }, (_, at) => at % 251)))).toBe(true);
  expect(grown).toBeLessThan(10);
});
