import { describe, expect, test } from "@jest/globals";
import { initialSettings, settingNames, settingOf } from "@web-tester/contracts/object-settings";
import { countSet, groupsAbout, optionGroups } from "./option-groups.js";
import { optionsOf } from "./options.js";

const secret_versions = { auth_password: null, request_headers: null, login_steps: null };
const untouched = optionsOf({ ...initialSettings, login_steps: [], secret_versions });

test("every option is in a group that is shown, and says in a sentence what it does", () => {
  const shown = new Set<string>(optionGroups.map(({ key }) => key));
  for (const name of settingNames) {
    const { group, hint, choices = [] } = settingOf(name);
    if (group === "apart") continue;
    expect([name, shown.has(group)]).toEqual([name, true]);
    const isTold = hint !== undefined || choices.some(({ words }) => words !== undefined) || group === "auth";
    expect([name, isTold]).toEqual([name, true]);
  }
});

describe("what is looked for is found by", () => {
  test.each([
    ["the name of a group", "keep snap", ["keep"]],
    ["the label of an option", "cookie banner", ["visit"]],
    ["a choice", "whole domain", ["crawl"]],
    ["the name on the API", "keep_days", ["keep"]],
    ["a word that people say", "javascript", ["load"]],
    ["nothing at all", "zebra", []],
  ])("%s", (_what, text, keys) => expect(groupsAbout(text).map(({ key }) => key)).toEqual(keys));

  test("an empty search, which leaves all there", () => expect(groupsAbout(" ")).toBe(optionGroups));
});

test("what was set is counted by group", () => {
  const set = (key: (typeof optionGroups)[number]["key"], part: Partial<typeof untouched>, headers = 0) =>
    countSet(key, { ...untouched, ...part }, headers);
  expect(optionGroups.map(({ key }) => countSet(key, untouched, 0))).toEqual(optionGroups.map(() => 0));
  expect(set("crawl", { scope: "host", crawl_pages_max: 5 })).toBe(2);
  expect(set("exclude", { exclude_list: "/a" })).toBe(1);
  expect(set("auth", { auth_username: "x" })).toBe(0);
  expect(set("auth", { auth_enabled: true })).toBe(1);
  expect(set("visit", {}, 2)).toBe(1);
  expect(set("visit", { headers: "" }, 2)).toBe(0);
});
