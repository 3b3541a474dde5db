import { describe, expect, test } from "@jest/globals";
import { readBulkAddress } from "./bulk-address.js";

describe("the address of a bulk diff", () => {
  test.each([
    ["bulk=o&idx1=3&idx2=2&view=split&diffType=lines", { bulk: "o", idx1: 3, idx2: 2, view: "split", by: "lines" }],
    ["bulk=o", { bulk: "o", idx1: 1, idx2: 0, view: "unified", by: "lines" }],
    ["bulk=o&idx1=-1&idx2=x", { idx1: 1, idx2: 0 }],
    ["bulk=o&idx1=99999999&idx2=1.5", { idx1: 1, idx2: 0 }],
    ["bulk=+&idx1=0&idx2=0", { bulk: undefined, idx1: 0, idx2: 0 }],
    ["bulk=o&view=split&diffType=words", { view: "unified", by: "words" }],
  ])("%s", (search, said) => {
    expect(readBulkAddress(new URLSearchParams(search))).toMatchObject(said);
  });
});
