import { api, type EndpointName } from "@web-tester/contracts/api";
import { expect, test } from "@jest/globals";
import { unknownQuery } from "./unknown-query.js";

const told = (name: EndpointName, query: Record<string, string>) =>
  unknownQuery(api[name], query).map(({ path, message }) => `${path} ${message}`);
const said = (name: EndpointName, ...names: string[]) => told(name, Object.fromEntries(names.map((one) => [one, "1"])));
const meant = (name: string, known: string) => [`query.${name} is not a parameter of this call; “${known}” is`];

test.each([
  ["listDeliveries", "limti", "limit"],
  ["listDeliveries", "limt", "limit"],
  ["listDeliveries", "limit[]", "limit"],
  ["listDeliveries", "State", "state"],
  ["listDeliveries", "offset", "cursor"],
  ["listAllSchedules", "offset", "skip"],
  ["exportData", "testobject_id", "testObjectId"],
  ["listEvents", "objectid", "testobject_id"],
] as const)("%s with %s is refused: %s is meant", (name, wrong, known) => {
  expect(said(name, wrong)).toEqual(meant(wrong, known));
});

test("what clients add to a call that reads is left alone, and what it has is taken", () => {
  expect(said("listTestObjects", "_", "limit", "utm_source")).toEqual([]);
  expect(said("getBulkDiff", "view", "diffType", "pagesHtml", "idx1", "limit")).toEqual([]);
  expect(said("listDeliveries", "__proto__", "q", "x".repeat(10_000))).toEqual([]);
});

test("a call that changes something takes nothing that it does not have", () => {
  expect(said("deleteTestObject", "undo")).toEqual(meant("undo", "undo_s"));
  expect(said("deleteTestObject", "dry_run", "undo_s")).toEqual([
    "query.dry_run is not a parameter of this call; it has undo_s",
  ]);
  expect(said("crawl", "x")).toEqual(["query.x is not a parameter of this call; it has none"]);
});

test("the first page may be asked for in any way, and a name against caches counts nowhere", () => {
  const first: Record<string, string>[] = [{ offset: "0" }, { page: "1" }, { skip: "" }];
  expect(first.flatMap((query) => told("listDeliveries", query))).toEqual([]);
  expect(told("listDeliveries", { page: "2" })).toEqual(meant("page", "cursor"));
  expect(told("crawl", { _: "1764374400" })).toEqual([]);
});
