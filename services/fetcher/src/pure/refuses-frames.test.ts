import { expect, test } from "@jest/globals";
import { refusesFrames } from "./refuses-frames.js";

const other = "https://frame.example/inner.html";
const page = "https://www.shop.example/page";
const options = (value: string | string[]) => ({ "x-frame-options": value });
const policy = (value: string | string[]) => ({ "content-security-policy": value });

test.each([
  [options("DENY"), "https://www.shop.example/inner", "X-Frame-Options: DENY"],
  [options("SameOrigin"), other, "X-Frame-Options: SAMEORIGIN"],
  [options(["sameorigin", "deny"]), page, "X-Frame-Options: SAMEORIGIN, DENY"],
  [policy("default-src *; frame-ancestors 'none'"), page, "frame-ancestors 'none'"],
  [policy("frame-ancestors"), page, "frame-ancestors"],
  [policy("frame-ancestors 'self'"), other, "frame-ancestors 'self'"],
  [
    policy("frame-ancestors https://shop.example *.other.example"),
    other,
    "frame-ancestors https://shop.example *.other.example",
  ],
  [policy("frame-ancestors https://www.shop.example:8443"), other, "frame-ancestors https://www.shop.example:8443"],
  [policy(["frame-ancestors *", "frame-ancestors 'none'"]), other, "frame-ancestors 'none'"],
  [policy("frame-ancestors *, frame-ancestors 'none'"), other, "frame-ancestors 'none'"],
] as const)("%j of %s lets the page have no frame: %s", (headers, url, reason) => {
  expect(refusesFrames(headers as Record<string, string>, url, page)).toBe(reason);
});

test.each([
  [{}, other],
  [options("SAMEORIGIN"), "https://www.shop.example/inner"],
  [options("ALLOW-FROM https://elsewhere.example"), other],
  [options("nonsense"), other],
  [policy("default-src 'none'"), other],
  [{ ...policy("frame-ancestors https:"), ...options("DENY") }, other],
  [policy("frame-ancestors *"), other],
  [policy("frame-ancestors *.shop.example"), other],
  [policy("frame-ancestors http://www.shop.example"), other],
  [policy("FRAME-ANCESTORS www.shop.example:443/path; frame-ancestors 'none'"), other],
  [policy("frame-ancestors www.shop.example:*"), other],
  [{ "content-security-policy-report-only": "frame-ancestors 'none'" }, other],
] as const)("%j of %s lets it have one", (headers, url) => {
  expect(refusesFrames(headers, url, page)).toBeNull();
});
