import { describe, expect, test } from "@jest/globals";
import { describeStatus, isOfPage, readRetryAfter } from "./http-status.js";

describe("describeStatus", () => {
  test.each([
    [
      404,
      false,
      "http_status",
      "The server answered 404 Not Found for http://a.example/x. The page does not exist, or no longer exists.",
    ],
    [410, false, "http_status", "410 Gone"],
    [401, false, "http_status", "asks for credentials"],
    [401, true, "http_status", "did not accept the credentials"],
    [403, false, "http_status", "denies access"],
    [403, true, "http_status", "give no access to this page"],
    [418, false, "http_status", "418 I'm a Teapot"],
    [300, false, "http_status", "300 Multiple Choices"],
    [999, false, "http_status_retryable", "999 (a status nobody has defined)"],
    [408, false, "http_status_retryable", "408 Request Timeout"],
    [429, false, "http_status_retryable", "Set a longer pause between requests"],
    [500, false, "http_status_retryable", "500 Internal Server Error"],
    [503, false, "http_status_retryable", "503 Service Unavailable"],
  ])("%i (credentials sent: %s) is %s and worded", (status, sentCredentials, code, words) => {
    expect(describeStatus(status, "http://a.example/x", sentCredentials)).toEqual({
      code,
      message: expect.stringContaining(words),
    });
  });
});

test.each([
  [200, undefined, true],
  [204, undefined, true],
  [304, undefined, false],
  [206, undefined, false],
  [206, "bytes 0-99/100", true],
  [206, "bytes 0-98/100", false],
  [206, "bytes 1-99/100", false],
  [206, "bytes 0-99/*", false],
])("an answer of %d with the range %s is a whole page: %s", (status, range, isWhole) => {
  expect(isOfPage(status, range === undefined ? {} : { "content-range": range })).toBe(isWhole);
});

describe("readRetryAfter", () => {
  const now = Date.UTC(2030, 0, 1, 12, 0, 0);
  test.each([
    [null, null],
    ["", null],
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5_000],
    ["99999999999999999999", 86_400_000],
    ["-5", null],
    ["1.5", null],
    ["soon", null],
    ["2030", 2_030_000],
    ["Tue, 01 Jan 2030 12:01:00 GMT", 60_000],
    ["Tue, 01 Jan 2030 11:00:00 GMT", 0],
    ["Tuesday, 01-Jan-30 12:00:10 GMT", 10_000],
    ["Tue Jan  1 12:00:20 2030 GMT", 20_000],
    ["Tue, 01 Jan 2040 12:00:00 GMT", 86_400_000],
    ["Tue, 99 Foo 2030", null],
  ])("%j is %j ms", (header, expected) => {
    expect(readRetryAfter(header === null ? {} : { "retry-after": header }, now)).toBe(expected);
  });

  test.each([
    ["Wed, 02 Jan 2030 12:00:00 GMT", "Wed, 02 Jan 2030 12:00:03 GMT", 3_000],
    ["Mon, 31 Dec 2029 12:00:00 GMT", "Mon, 31 Dec 2029 12:01:00 GMT", 60_000],
    ["never", "Tue, 01 Jan 2030 12:01:00 GMT", 60_000],
    ["Wed, 02 Jan 2030 12:00:00 GMT", "7", 7_000],
  ])("a server whose clock says %s means by %s %d ms", (date, header, expected) => {
    expect(readRetryAfter({ date, "retry-after": header }, now)).toBe(expected);
  });
});
