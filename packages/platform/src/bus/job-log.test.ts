import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { jobMessage } from "./job-log.js";

describe("a secret never reaches the job log", () => {
  test.each([
    ["Visited https://ann:s3cret@site.example/a", "Visited https://[redacted]@site.example/a"],
    ["Fetched https://a.example/p?token=s3cret&page=2", "Fetched https://a.example/p?token=[redacted]&page=2"],
    ["https://a.example/?page=2&access_token=s3cret#top", "https://a.example/?page=2&access_token=[redacted]#top"],
    ["https://a.example/cb#id_token=s3cret", "https://a.example/cb#id_token=[redacted]"],
    ["https://a.example/x;jsessionid=s3cret?y=1", "https://a.example/x;jsessionid=[redacted]"],
    ["https://b.example/o?X-Amz-Signature=s3cret", "https://b.example/o?X-Amz-Signature=[redacted]"],
    ["https://b.example/?client_secret=s3cret: no answer", "https://b.example/?client_secret=[redacted]: no answer"],
    ["Sent Authorization: Bearer s3crets3cret", "Sent Authorization: Bearer [redacted]"],
    ['Answered {"password":"s3cret"}', 'Answered {"password":"[redacted]"}'],
  ])("%s", (said, kept) => {
    expect(jobMessage(said)).toBe(kept);
  });
});

test.each([
  "Visited https://site.example/@ann/posts?tokens=3&page=2&q=key",
  "Crawl finished: 40 pages found, 40 addresses visited, 0 failed",
  "Visited https://site.example/passwords?sort=asc&keyboard=de",
])("what gives nothing away stays: %s", (said) => {
  expect(jobMessage(said)).toBe(said);
});

test("one line, however it was said, and of a readable length", () => {
  expect(jobMessage("Failed:\r\n  first\nsecond")).toBe("Failed:   first second");
  const long = jobMessage("x".repeat(1_000_000));
  expect(long).toHaveLength(2_000);
  expect(long.endsWith("x…")).toBe(true);
});

test("saying it twice changes nothing, and no input is too odd", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true, withFragments: true })), (text) => {
      const once = jobMessage(text);
      expect(jobMessage(once)).toBe(once);
      expect(once).not.toMatch(/[\r\n]/);
    }),
  );
});
