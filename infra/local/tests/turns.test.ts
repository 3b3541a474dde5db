import { setImmediate, setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { openTurns, takeTurn } from "./turns.mjs";

test("so many are at work at once, more once that is allowed, and one that ends makes room for who waits longest", async () => {
  const turns = await openTurns(2);
  try {
    const begun: number[] = [];
    const ends = new Map<number, () => void>();
    const seen = async (count: number) => {
      for (let look = 0; look < 500 && begun.length < count; look += 1) await setTimeout(2);
      await setImmediate();
      return begun;
    };
    for (const each of [1, 2, 3, 4, 5]) {
      void takeTurn(turns.port).then((end) => {
        begun.push(each);
        ends.set(each, end);
      });
      // each one has arrived at the server before the next one asks
      if (each <= 2) await seen(each);
      else await setTimeout(5);
    }
    expect(await seen(2)).toEqual([1, 2]);
    ends.get(2)?.();
    expect(await seen(3)).toEqual([1, 2, 3]);
    turns.allow(1);
    expect(await seen(4)).toEqual([1, 2, 3, 4]);
    ends.get(1)?.();
    expect(await seen(5)).toEqual([1, 2, 3, 4, 5]);
    // three are at work: once two of them have ended, one more may begin
    turns.allow(-1);
    void takeTurn(turns.port).then(() => begun.push(6));
    await setTimeout(5);
    ends.get(3)?.();
    await setTimeout(50);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    ends.get(4)?.();
    expect(await seen(6)).toEqual([1, 2, 3, 4, 5, 6]);
  } finally {
    turns.close();
  }
});
