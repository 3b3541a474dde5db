import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { openPool } from "./pool.mjs";

/** A pool of names, and which of them were ended. */
function poolOf(idleMs: number) {
  const ended: string[] = [];
  const end = async (name: string) => {
    await setTimeout(1);
    ended.push(name);
  };
  return { pool: openPool(end, idleMs), ended };
}
const named = (name: string) => (id: string) => Promise.resolve(`${name} ${id}`);

test("what was given back is taken again by whoever needs its kind, and by nobody else", async () => {
  const { pool, ended } = poolOf(60_000);
  expect(await pool.take("a", named("first"))).toBe("first 1");
  expect(await pool.take("a", named("second"))).toBe("second 2");
  pool.giveBack("1");
  expect(await pool.take("b", named("other"))).toBe("other 3");
  expect(await pool.take("a", named("third"))).toBe("first 1");
  expect(await pool.take("a", named("third"))).toBe("third 4");
  await pool.remove("2");
  expect(ended).toEqual(["second 2"]);
  expect(() => pool.giveBack("2")).toThrow("Nobody knows 2");
  await pool.close();
  expect(ended.toSorted()).toEqual(["first 1", "other 3", "second 2", "third 4"]);
});

test("what nobody takes for a while is ended, what is in use is not", async () => {
  const { pool, ended } = poolOf(20);
  await pool.take("a", named("waiting"));
  await pool.take("a", named("used"));
  pool.giveBack("1");
  pool.giveBack("2");
  expect(await pool.take("a", named("new"))).toBe("waiting 1");
  expect(await pool.take("a", named("new"))).toBe("used 2");
  pool.giveBack("1");
  for (let look = 0; look < 500 && ended.length === 0; look += 1) await setTimeout(2);
  await setTimeout(50);
  expect(ended).toEqual(["waiting 1"]);
  expect(await pool.take("a", named("new"))).toBe("new 3");
  await pool.close();
  expect(ended.toSorted()).toEqual(["new 3", "used 2", "waiting 1"]);
});

test("the end of all waits for one that is ending, and tells when it fails; a failure that somebody was told is not told again", async () => {
  const pool = openPool(async () => {
    await setTimeout(30);
    throw new Error("It does not end");
  }, 1);
  await pool.take("a", named("one"));
  await expect(pool.remove("1")).rejects.toThrow("It does not end");
  await pool.close();
  await pool.take("a", named("two"));
  pool.giveBack("2");
  await setTimeout(15);
  await expect(pool.close()).rejects.toThrow("It does not end");
});
