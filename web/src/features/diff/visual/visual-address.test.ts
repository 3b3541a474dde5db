import { describe, expect, test } from "@jest/globals";
import { readVisualAddress, writeVisualAddress } from "./visual-address.js";

const read = (text: string) => readVisualAddress(new URLSearchParams(text));

describe("the address of a visual comparison", () => {
  test("says nothing but two snapshots: side by side, pixels, marked", () => {
    expect(read("a=1&b=2")).toEqual({
      a: "1",
      b: "2",
      layout: "side",
      by: "pixels",
      marks: true,
      zoom: "fit",
      threshold: 0.1,
    });
  });

  test("keeps every choice", () => {
    const choice = { layout: "slider", by: "text", marks: false, zoom: "150", threshold: 0.25 } as const;
    expect(readVisualAddress(writeVisualAddress(new URLSearchParams("a=1&b=2"), choice))).toEqual({
      a: "1",
      b: "2",
      ...choice,
    });
  });

  test("nonsense counts as nothing said", () => {
    expect(read("a=%20&layout=x&by=y&zoom=9&threshold=7")).toMatchObject({
      a: undefined,
      b: undefined,
      layout: "side",
      by: "pixels",
      zoom: "fit",
      threshold: 0.1,
    });
  });
});
