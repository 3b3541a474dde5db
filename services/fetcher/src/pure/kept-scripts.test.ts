import { expect, test } from "@jest/globals";
import { scriptsOf } from "./kept-scripts.js";

const url = "https://www.shop.co.uk/a";

test.each([
  ["own", "https://www.shop.co.uk/app.js", true],
  ["own", "https://cdn.shop.co.uk:8443/app.js", true],
  ["own", "https://other.co.uk/app.js", false],
  ["all", "https://other.co.uk/app.js", true],
  ["none", "https://www.shop.co.uk/app.js", false],
] as const)("of scripts that are kept as %s, %s is one: %s", (keepScripts, script, isKept) => {
  expect(scriptsOf({ keepScripts, url })(script)).toBe(isKept);
});

test("an address without a name is a site of its own, whatever the port", () => {
  const isOwn = scriptsOf({ keepScripts: "own", url: "http://127.0.0.1:8080/" });
  expect(isOwn("http://127.0.0.1:9090/a.js")).toBe(true);
  expect(isOwn("http://127.0.0.2:8080/a.js")).toBe(false);
});
