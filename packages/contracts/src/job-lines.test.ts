import { describe, expect, test } from "@jest/globals";
import { inEnglish, jobWords } from "./job-lines.js";

describe("a line of a job, in English", () => {
  test("is filled in with its values, whatever these hold", () => {
    const words = jobWords("fetched", { url: "https://a.example/{ms}?a=$1", status: 200, bytes: 1234, ms: 5 });
    expect(inEnglish(words)).toBe("Fetched https://a.example/{ms}?a=$1 (200, 1234 bytes, 5 ms)");
  });

  test.each([
    [1, "1 snapshot queued"],
    [0, "0 snapshots queued"],
    [12, "12 snapshots queued"],
  ])("of %i has the form for that", (n, expected) =>
    expect(inEnglish(jobWords("snapshots-queued", { n }))).toBe(expected),
  );

  test("leaves out what is not known", () => {
    const words = jobWords("visit-failed", { url: "https://a.example/", reason: "It broke.", reasonCode: undefined });
    expect(words.values).toEqual({ url: "https://a.example/", reason: "It broke." });
  });
});
