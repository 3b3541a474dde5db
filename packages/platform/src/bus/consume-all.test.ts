import { describe, expect, test } from "@jest/globals";
import type { Bus } from "./bus.js";
import { consumeAll, handlerFaults, type AnyConsumption } from "./consume-all.js";

describe("handlers against the message table", () => {
  test.each([
    ["fetcher", ["fetch", "render", "browser"], []],
    ["differ", ["diff", "diff"], []],
    ["fetcher", ["render", "browser"], ["fetcher has no handler for fetch"]],
    ["fetcher", ["fetch", "fetch", "render", "browser"], ["fetcher has 2 handlers for fetch where 1 belong"]],
    ["crawler", ["crawl", "sitemap", "fetch"], ["crawler has a handler for fetch, which is not its to receive"]],
    ["differ", ["diff"], ["differ has no handler for diff"]],
    ["gateway", ["delete", "nonsense"], ["gateway has a handler for nonsense, which is not its to receive"]],
  ] as const)("%s offering %j: %j", (receiver, offered, faults) => {
    expect(handlerFaults(receiver, offered)).toEqual(faults);
  });

  test("a service with a doubled handler takes nothing", async () => {
    const taken: string[] = [];
    const bus = {
      consume: ({ name }: { name: string }) => {
        taken.push(name);
        return Promise.resolve(() => Promise.resolve());
      },
    };
    const wanted: AnyConsumption = { name: "delete", concurrency: 1, handle: () => Promise.resolve({ done: true }) };
    await expect(consumeAll(bus as unknown as Bus, "gateway", [wanted, wanted])).rejects.toThrow(
      "2 handlers for delete",
    );
    expect(taken).toEqual([]);
    await consumeAll(bus as unknown as Bus, "gateway", [wanted]);
    expect(taken).toEqual(["delete"]);
  });
});
