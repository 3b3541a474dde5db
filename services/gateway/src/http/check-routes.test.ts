import { expect, test } from "@jest/globals";
import { describeRouteFaults, routeFaults } from "./check-routes.js";

const none = { missing: [], doubled: [], withoutRole: [], undeclared: [] };
const tableOf = (names: string[]) => Object.fromEntries(names.map((name) => [name, { role: "viewer" }]));
const routesOf = (names: string[]) =>
  names.map((endpoint) => ({ name: `Controller.${endpoint}`, endpoint, isPublic: false }));

test.each<[string[], string[], object]>([
  [["a", "b"], ["b", "a"], {}],
  [["a", "b"], ["a"], { missing: ["b"] }],
  [["a", "b"], ["a", "b", "a", "a"], { doubled: ["a"] }],
  [["a", "b"], [], { missing: ["a", "b"] }],
  [["a", "b", "c"], ["b", "b"], { missing: ["a", "c"], doubled: ["b"] }],
])("table %j, handlers %j", (table, handled, expected) => {
  expect(routeFaults(tableOf(table), routesOf(handled))).toEqual({ ...none, ...expected });
});

test.each([undefined, null, "", "Admin", "root", ["admin"]])("%j is no role", (role) => {
  const table = { a: { role: "public" }, b: role === undefined ? {} : { role }, c: { role: "admin" } };
  expect(routeFaults(table, routesOf(["a", "b", "c"]))).toEqual({ ...none, withoutRole: ["b"] });
});

test("a route beside the table says that it is public", () => {
  const routes = [
    { name: "Feeds.read", endpoint: null, isPublic: true },
    { name: "Health.secret", endpoint: null, isPublic: false },
  ];
  expect(routeFaults({}, routes)).toEqual({ ...none, undeclared: ["Health.secret"] });
});

test("names what is wrong, and says nothing when all is well", () => {
  expect(describeRouteFaults(none)).toBeNull();
  expect(describeRouteFaults({ ...none, missing: ["crawl"], doubled: ["getDiff"] })).toMatch(
    /without a handler: crawl; with more than one handler: getDiff/,
  );
  expect(describeRouteFaults({ ...none, withoutRole: ["crawl"], undeclared: ["Health.secret"] })).toMatch(
    /without a role that may call them .+: crawl; that belong to no row .+ @Public\(\): Health\.secret\.$/,
  );
});
