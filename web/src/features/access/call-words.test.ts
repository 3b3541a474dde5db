import { expect, test } from "@jest/globals";
import { api, type EndpointName } from "@web-tester/contracts/api";
import { isChange } from "@web-tester/contracts/is-change";
import { callWords } from "./call-words.js";

test("every call that is written down has its words, and nothing else has", () => {
  const names = Object.keys(api) as EndpointName[];
  expect(Object.keys(callWords).toSorted()).toEqual(names.filter(isChange).toSorted());
});
