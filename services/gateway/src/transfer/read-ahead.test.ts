import { expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { type Found, readAhead, type Wanted } from "./read-ahead.js";

/** A store that answers when it is told to. */
function slowStore() {
  const asked = new Map<string, { answer: () => void; fail: (error: Error) => void }>();
  const read = (hash: Buffer) =>
    new Promise<Buffer>((resolve, reject) =>
      asked.set(hash.toString("hex"), { answer: () => resolve(hash), fail: reject }),
    );
  return { read, asked };
}

const hex = (n: number) => n.toString(16).padStart(2, "0");
const wanted = (count: number, size = 10): Wanted[] =>
  Array.from({ length: count }, (_, n) => ({ hash: hex(n), size }));

test("the next ones are asked for before the first one is there, and all come in their order", async () => {
  const { read, asked } = slowStore();
  const reading = readAhead({ read }, wanted(10));
  const first = reading.next();
  expect([...asked.keys()]).toEqual(wanted(8).map(({ hash }) => hash));
  for (const { answer } of [...asked.values()].toReversed()) answer();
  expect(await first).toEqual({ done: false, value: { hash: "00", bytes: Buffer.from([0]) } });
  const others: string[] = [];
  const rest = (async () => {
    for await (const { hash } of reading) {
      others.push(hash);
      for (const { answer } of asked.values()) answer();
    }
  })();
  await rest;
  expect(others).toEqual(
    wanted(10)
      .map(({ hash }) => hash)
      .slice(1),
  );
});

test("large ones are read one after the other", async () => {
  const { read, asked } = slowStore();
  const reading = readAhead({ read }, wanted(3, 20 * 1024 * 1024));
  const first = reading.next();
  expect([...asked.keys()]).toEqual(["00"]);
  asked.get("00")?.answer();
  expect((await first).value).toMatchObject({ hash: "00" });
});

test("what is lost is told in its place; a store that cannot be reached ends it", async () => {
  const read = (hash: Buffer) =>
    hash[0] === 1
      ? Promise.reject(new AppError("content_missing", "It is lost."))
      : hash[0] === 3
        ? Promise.reject(new AppError("unavailable", "The store is away."))
        : Promise.resolve(hash);
  const found: Found[] = [];
  const all = async () => {
    for await (const one of readAhead({ read }, wanted(5))) found.push(one);
  };
  await expect(all()).rejects.toThrow("The store is away.");
  expect(found).toEqual([
    { hash: "00", bytes: Buffer.from([0]) },
    { hash: "01", fault: "It is lost." },
    { hash: "02", bytes: Buffer.from([2]) },
  ]);
});
