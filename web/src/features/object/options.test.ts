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
  login_steps: [
    { do: "open" as const, url: "https://shop.example/login" },
    { do: "fill" as const, selector: "#password", value_set: true },
  ],
  secret_versions: { auth_password: null, request_headers: null, login_steps: "v1" },
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
    { headers: "" },
    { login: [] },
  ])
    expect(sameOptions(options, { ...options, ...part })).toBe(false);
});

test("what was not touched is not sent, so that what was saved elsewhere stays", () => {
  const options = optionsOf(stored);
  expect(optionsPatch(options, stored)).toEqual({});
  const touched = { exclude_list: "/c\n /d ", auth_username: " other ", keep_snapshots: null };
  expect(optionsPatch({ ...options, ...touched }, stored)).toEqual({
    exclude_list: ["/c", "/d"],
    auth_username: "other",
    keep_snapshots: null,
  });
});

test("a secret that was not typed is left out, so that it stays", () => {
  const options = optionsOf(stored);
  expect(optionsPatch({ ...options, auth_username: "other" }, stored)).not.toHaveProperty("auth_password");
  expect(optionsPatch({ ...options, secret: "s" }, stored).auth_password).toBe("s");
});

test("a value of a login that was not typed is left out, so that it stays", () => {
  const options = optionsOf(stored);
  const [open, fill] = stored.login_steps;
  const waiting = { do: "wait" as const, url: "", selector: "#in", value: "" };
  expect(optionsPatch({ ...options, login: [...options.login, waiting] }, stored).login_steps).toEqual([
    open,
    { do: "fill", selector: fill?.selector },
    { do: "wait", selector: "#in" },
  ]);
  const typed = options.login.map((step) => (step.do === "fill" ? { ...step, value: "new" } : step));
  expect(optionsPatch({ ...options, login: typed }, stored).login_steps?.[1]).toMatchObject({ value: "new" });
});

test("headers that were not typed are left out; none at all removes them", () => {
  const options = optionsOf(stored);
  expect(optionsPatch(options, stored)).not.toHaveProperty("request_headers");
  expect(optionsPatch({ ...options, headers: "X-A: 1\n\nX-B: 2" }, stored).request_headers).toEqual([
    "X-A: 1",
    "X-B: 2",
  ]);
  expect(optionsPatch({ ...options, headers: "" }, stored).request_headers).toEqual([]);
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
