import { describe, expect, test } from "@jest/globals";
import { keptFinalUrl } from "./final-url.js";

describe("the address that a page was got from", () => {
  const url = "https://a.example/page";
  const got = { state: "done" as const, http_status: 200, final_url: url, redirects: [] };

  test("is not kept where it is the page's own", () => {
    expect(keptFinalUrl(got, url)).toBeNull();
    expect(keptFinalUrl({ ...got, http_status: 304 }, url)).toBeNull();
  });

  test.each([
    ["another one", { final_url: "https://a.example/other" }],
    ["its own by a way round", { redirects: [{ url, status: 302 }] }],
    ["that of a page that failed", { state: "failed" as const, http_status: 404 }],
    ["that of a page without an answer", { http_status: null }],
  ])("is kept where it is %s", (_what, other) => {
    const answered = { ...got, ...other };
    expect(keptFinalUrl(answered, url)).toBe(answered.final_url);
  });
});
