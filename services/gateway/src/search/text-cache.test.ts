import { expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import work from "./scan-worker.js";
import type { FoldTask } from "./scan-worker.js";
import { TextCache } from "./text-cache.js";

const keyOf = (hash: string) => `${hash.repeat(64)}:utf-8`;
const contents: Record<string, string | AppError> = {
  a: "<p>Some WORDS\r\nand more",
  b: "<p>Other words",
  c: new AppError("internal", "It is gone."),
  d: new AppError("unavailable", "The store does not answer."),
};

function cacheOf(maxBytes: number) {
  const read: string[] = [];
  const store = {
    read: async (hash: Buffer) => {
      const name = hash.toString("hex").slice(0, 1);
      read.push(name);
      const content = contents[name];
      if (content === undefined || typeof content !== "string") throw content ?? new Error("No such content");
      return Buffer.from(content);
    },
  };
  // in the same thread, with the worker's function
  const pool = { fold: async (task: FoldTask) => work({ kind: "fold", ...task }) as Uint8Array[] };
  return { read, cache: new TextCache(store, pool, maxBytes) };
}

const shown = (texts: Map<string, Uint8Array>) =>
  Object.fromEntries([...texts].map(([key, text]) => [key.slice(0, 1), Buffer.from(text).toString()]));

test("texts are folded, and read once for each scope", async () => {
  const { read, cache } = cacheOf(1_000);
  const all = { a: "<p>some words\nand more", b: "<p>other words" };
  expect(shown(await cache.load("html", [keyOf("a")]))).toEqual({ a: all.a });
  expect(shown(await cache.load("html", [keyOf("b"), keyOf("a")]))).toEqual(all);
  expect(shown(await cache.load("html", [keyOf("a"), keyOf("b")]))).toEqual(all);
  expect(read).toEqual(["a", "b"]);
  expect(shown(await cache.load("text", [keyOf("b")]))).toEqual({ b: "other words" });
  expect(read).toEqual(["a", "b", "b"]);
});

test("what cannot be read is left out, and a store that does not answer is said", async () => {
  const { cache } = cacheOf(1_000);
  expect(shown(await cache.load("html", [keyOf("b"), keyOf("c")]))).toEqual({ b: "<p>other words" });
  await expect(cache.load("html", [keyOf("b"), keyOf("d")])).rejects.toThrow("does not answer");
});

test("it holds no more than it may", async () => {
  const { read, cache } = cacheOf(30);
  for (let turn = 0; turn < 2; turn += 1) {
    await cache.load("html", [keyOf("a")]);
    await cache.load("html", [keyOf("b")]);
  }
  expect(read).toEqual(["a", "b", "a", "b"]);
});
