import { describe, expect, test } from "@jest/globals";
import { messages, questions } from "@web-tester/contracts/messages";
import type { Bus } from "./bus.js";
import { consumeAll, handlerFaults, type AnyConsumption } from "./consume-all.js";

const rows = [...Object.entries(messages), ...Object.entries(questions)];
/** The names of all messages and questions that a service receives. */
const belonging = (service: string) => rows.filter(([, { receiver }]) => receiver === service).map(([name]) => name);
const without = (service: string, name: string) => belonging(service).filter((each) => each !== name);

describe("handlers against the message table", () => {
  test.each([
    ["fetcher", belonging("fetcher"), []],
    // the differ receives a message and a question of the same name
    ["differ", belonging("differ"), []],
    ["differ", [...without("differ", "diff"), "diff"], ["differ has no handler for diff"]],
    ["fetcher", without("fetcher", "fetch"), ["fetcher has no handler for fetch"]],
    ["fetcher", [...belonging("fetcher"), "fetch"], ["fetcher has 2 handlers for fetch where 1 belong"]],
    ["crawler", [...belonging("crawler"), "fetch"], ["crawler has a handler for fetch, which is not its to receive"]],
    [
      "gateway",
      [...belonging("gateway"), "nonsense"],
      ["gateway has a handler for nonsense, which is not its to receive"],
    ],
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
    const other: AnyConsumption = { name: "import", concurrency: 1, handle: () => Promise.resolve({ done: true }) };
    await expect(consumeAll(bus as unknown as Bus, "gateway", [wanted, wanted, other])).rejects.toThrow(
      "2 handlers for delete",
    );
    expect(taken).toEqual([]);
    await consumeAll(bus as unknown as Bus, "gateway", [wanted, other]);
    expect(taken).toEqual(["delete", "import"]);
  });
});
