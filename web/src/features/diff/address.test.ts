import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readAddress, writeAddress } from "./address.js";

const read = (text: string) => readAddress(new URLSearchParams(text));

describe("reading", () => {
  test("snapshots by id", () =>
    expect(read("a=1&b=2").query).toEqual({ a: "1", b: "2", diffType: "lines", context: 3, as: "auto" }));
  test("snapshots by instance", () =>
    expect(read("instance1=i&snapshot1=0&instance2=j&snapshot2=1").query).toEqual({
      instance1: "i",
      snapshot1: "0",
      instance2: "j",
      snapshot2: "1",
      diffType: "lines",
      context: 3,
      as: "auto",
    }));
  test("both forms mixed", () =>
    expect(read("a=1&instance2=j").query).toEqual({
      a: "1",
      instance2: "j",
      snapshot2: undefined,
      diffType: "lines",
      context: 3,
      as: "auto",
    }));
  test.each(["", "a=1", "b=2", "a=&b=2", "a=1&snapshot2=0", "a=%20&b=2"])("%p misses a side", (text) =>
    expect(read(text).query).toBeUndefined(),
  );
  test.each([
    ["context=0", 0],
    ["context=100", 100],
    ["context=101", 100],
    ["context=-1", 3],
    ["context=2.5", 3],
    ["context=x", 3],
    ["context=", 3],
  ])("%p means %p unchanged lines", (text, context) => expect(read(text).context).toBe(context));
  test("unknown choices are the default ones, and words and characters are never split", () => {
    expect(read("view=visual&diffType=bytes")).toMatchObject({ view: "unified", by: "lines", numbers: true });
    expect(read("view=split")).toMatchObject({ view: "split" });
    expect(read("view=split&diffType=words")).toMatchObject({ view: "unified", by: "words" });
    expect(read("numbers=off").numbers).toBe(false);
    expect(read("as=pdf").as).toBe("auto");
    expect(read("as=text").as).toBe("text");
    expect(read("ignored=off").ignored).toBe("hidden");
  });
});

test("a chosen side replaces the other form", () => {
  expect(writeAddress(new URLSearchParams("instance1=i&snapshot1=0&b=2&view=split"), { a: "9" }).toString()).toBe(
    "b=2&view=split&a=9",
  );
});

test("what is written is read again", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("lines" as const, "words" as const, "chars" as const),
      fc.constantFrom("split" as const, "unified" as const),
      fc.boolean(),
      fc.integer({ min: 0, max: 100 }),
      fc.uuid(),
      fc.uuid(),
      fc.constantFrom("auto" as const, "source" as const, "formatted" as const, "text" as const),
      (by, view, numbers, context, a, b, as) => {
        const address = readAddress(
          writeAddress(new URLSearchParams("a=old&instance2=old"), { by, view, numbers, context, a, b, as }),
        );
        expect(address).toEqual({
          query: { a, b, diffType: by, context, as },
          a,
          b,
          by,
          as,
          ignored: "shown",
          numbers,
          context,
          view: by === "lines" ? view : "unified",
        });
      },
    ),
  );
});
