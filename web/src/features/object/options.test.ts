import { expect, test } from "@jest/globals";
import { optionsOf, optionsPatch, optionsSummary, patternsOf, sameOptions } from "./options.js";

const stored = {
  exclude_list: ["/a/*", "/b"],
  asset_snapshots: true,
  auth_enabled: true,
  auth_type: "basic" as const,
  auth_username: "preview",
  fetch_mode: "auto" as const,
  ignore_robots: false,
  request_delay_ms: 0,
  scope: "path" as const,
  scope_prefixes: [],
  drop_params: ["utm_*"],
  crawl_pages_max: 100_000,
  crawl_depth_max: 20,
  crawl_minutes_max: 720,
  crawl_mib_max: 10_240,
  keep_days: null,
  keep_snapshots: 12,
  keep_changed_only: true,
};

test("patterns are trimmed lines without empty ones", () =>
  expect(patternsOf(" /a/* \r\n\n\t/b\n")).toEqual(["/a/*", "/b"]));

test("what was not touched is the same", () => {
  const options = optionsOf(stored);
  expect(sameOptions(options, { ...options, exclude: "/a/*\n\n /b \n" })).toBe(true);
  for (const part of [
    { secret: "x" },
    { assets: false },
    { fetchMode: "browser" as const },
    { ignoreRobots: true },
    { delayMs: 1 },
    { scope: "host" as const },
    { prefixes: "/a" },
    { dropParams: "" },
    { pagesMax: 1 },
    { depthMax: 1 },
    { minutesMax: 1 },
    { mibMax: 1 },
  ])
    expect(sameOptions(options, { ...options, ...part })).toBe(false);
});

test("a secret that was not typed is left out, so that it stays", () => {
  const options = optionsOf(stored);
  expect(optionsPatch(options, stored)).toEqual({
    auth_enabled: true,
    auth_type: "basic",
    auth_username: "preview",
    exclude_list: ["/a/*", "/b"],
    asset_snapshots: true,
    fetch_mode: "auto",
    ignore_robots: false,
    request_delay_ms: 0,
    scope: "path",
    scope_prefixes: [],
    drop_params: ["utm_*"],
    crawl_pages_max: 100_000,
    crawl_depth_max: 20,
    crawl_minutes_max: 720,
    crawl_mib_max: 10_240,
    keep_days: null,
    keep_snapshots: 12,
    keep_changed_only: true,
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
