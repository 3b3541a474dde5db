import { expect, test } from "@jest/globals";
import { readBudget, readSilence } from "./change-expectations.js";

test.each<[string, ReturnType<typeof readBudget>]>([
  ["/shop/ 20", { section: "/shop/", most: 20 }],
  ["/   0", { section: "/", most: 0 }],
  ["* off", { section: "*", most: null }],
  ["shop 20", null],
  ["/shop/", null],
  ["/shop/ -1", null],
  ["/a b 20", null],
])("the budget %j", (line, read) => expect(readBudget(line)).toEqual(read));

test.each<[string, ReturnType<typeof readSilence>]>([
  ["/news/ 3 days", { section: "/news/", most: 3 * 86_400 }],
  ["/ 12 hours", { section: "/", most: 12 * 3_600 }],
  ["/ 1h", { section: "/", most: 3_600 }],
  ["* 2 weeks", { section: "*", most: 14 * 86_400 }],
  ["/news/ off", { section: "/news/", most: null }],
  ["/news/ 0 days", null],
  ["/news/ 3", null],
  ["/news/ 3 years", null],
])("the silence %j", (line, read) => expect(readSilence(line)).toEqual(read));
