import { expect, test } from "@jest/globals";
import { initialSettings } from "@web-tester/contracts/object-settings";
import { optionsOf, optionsPatch, optionsSummary, patternsOf, sameOptions } from "./options.js";

const stored = {
  ...initialSettings,
  exclude_list: ["/a/*", "/b"],
  auth_enabled: true,
  auth_username: "preview",
  drop_params: ["utm_*"],
  keep_snapshots: 12,
  keep_changed_only: true,
};

test("patterns are trimmed lines without empty ones", () =>
  expect(patternsOf(" /a/* \r\n\n\t/b\n")).toEqual(["/a/*", "/b"]));

test("what was not touched is the same", () => {
  const options = optionsOf(stored);
  expect(sameOptions(options, { ...options, exclude_list: "/a/*\n\n /b \n" })).toBe(true);
  for (const part of [
    { secret: "x" },
    { asset_snapshots: false },
    { fetch_mode: "browser" as const },
    { ignore_robots: true },
    { request_delay_ms: 1 },
    { scope: "host" as const },
    { scope_prefixes: "/a" },
    { drop_params: "" },
    { crawl_pages_max: 1 },
    { crawl_depth_max: 1 },
    { crawl_minutes_max: 1 },
    { crawl_mib_max: 1 },
  ])
    expect(sameOptions(options, { ...options, ...part })).toBe(false);
});

test("a secret that was not typed is left out, so that it stays", () => {
  const options = optionsOf(stored);
  const { sitemaps: _, ...edited } = stored;
  expect(optionsPatch(options, stored)).toEqual(edited);
  expect(optionsPatch({ ...options, secret: "s" }, stored).auth_password).toBe("s");
});

test("a secret of another kind of protection is not kept", () => {
  const patch = optionsPatch({ ...optionsOf(stored), auth_type: "bearer" }, stored);
  expect(patch.auth_password).toBe("");
  expect(patch.auth_username).toBe("");
});

test("a closed panel says what is set", () => {
  expect(optionsSummary(stored)).toBe("Basic auth, 2 excludes");
  expect(optionsSummary({ ...stored, auth_enabled: false, exclude_list: ["/a"] })).toBe("1 exclude");
  expect(optionsSummary({ ...stored, auth_enabled: false, exclude_list: [] })).toBe("");
});
