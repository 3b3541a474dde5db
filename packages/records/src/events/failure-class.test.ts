import { expect, test } from "@jest/globals";
import { failureWords } from "./failure-class.js";

test.each([
  ["http_status_retryable", 503, false, "HTTP 503"],
  ["http_status", 403, true, "HTTP 403, blocked by a challenge page"],
  ["dns_failed", null, false, "host name not found"],
  ["empty_document", 200, false, "empty page"],
  ["too_many_redirects", null, false, "too many redirects"],
  ["worker_crashed", null, false, "fetch failed"],
])("%s with status %s (challenge: %s): %s", (code, status, isChallenge, said) => {
  expect(failureWords(code, status, isChallenge)).toBe(said);
});
