import { expect, test } from "@jest/globals";
import type { Database } from "@web-tester/platform/database/database";
import { createKeptEffects } from "./kept-effects.js";

test("what cannot be read or kept is told, and fails nothing", async () => {
  const told: unknown[] = [];
  const away = { query: () => Promise.reject(new Error("away")) } as unknown as Database;
  const kept = createKeptEffects(away, (error) => told.push(error));
  expect(await kept.find("one", Buffer.alloc(32), [], 1)).toEqual([]);
  await kept.keep("one", { scripts: Buffer.alloc(32), places: [], page: Buffer.alloc(32), builds: true }, 1);
  expect(told).toEqual([new Error("away"), new Error("away")]);
});
