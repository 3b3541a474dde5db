import { expect, test } from "@jest/globals";
import { optionsOf, optionsPatch, optionsSummary, patternsOf, sameOptions } from "./options.js";

const stored = {
  exclude_list: ["/a/*", "/b"],
  auth_enabled: true,
  auth_type: "basic" as const,
  auth_username: "preview",
};

test("patterns are trimmed lines without empty ones", () =>
  expect(patternsOf(" /a/* \r\n\n\t/b\n")).toEqual(["/a/*", "/b"]));

test("what was not touched is the same", () => {
  const options = optionsOf(stored);
  expect(sameOptions(options, { ...options, exclude: "/a/*\n\n /b \n" })).toBe(true);
  expect(sameOptions(options, { ...options, secret: "x" })).toBe(false);
});

test("a secret that was not typed is left out, so that it stays", () => {
  const options = optionsOf(stored);
  expect(optionsPatch(options, stored)).toEqual({
    auth_enabled: true,
    auth_type: "basic",
    auth_username: "preview",
    exclude_list: ["/a/*", "/b"],
  });
  expect(optionsPatch({ ...options, secret: "s" }, stored).auth_password).toBe("s");
});

test("a secret of another kind of protection is not kept", () => {
  const patch = optionsPatch({ ...optionsOf(stored), type: "bearer" }, stored);
  expect(patch.auth_password).toBe("");
  expect(patch.auth_username).toBe("");
});

test("a closed panel says what is set", () => {
  expect(optionsSummary(stored)).toBe("Basic auth, 2 excludes");
  expect(optionsSummary({ ...stored, auth_enabled: false, exclude_list: ["/a"] })).toBe("1 exclude");
  expect(optionsSummary({ ...stored, auth_enabled: false, exclude_list: [] })).toBe("");
});
