import { expect, test } from "@jest/globals";
import { ageProblem, describeAge, releasedAt } from "./chromium-age.js";

test.each([
  ["94.0.4606.54", "2021-09-21"],
  ["120.0.6099.62", "2023-12-05"],
  ["140.0.7339.80", "2025-09-02"],
  ["HeadlessChrome/153.0.8010.0", "2026-09-08"],
  ["154.0.8020.1", "2026-09-22"],
])("%s came out about %s", (version, at) => {
  expect(releasedAt(version)?.toISOString().slice(0, 10)).toBe(at);
});

test("versions come in the order of their numbers, each some weeks after the one before", () => {
  for (let major = 95; major < 200; major++) {
    const days =
      ((releasedAt(`${major}.0.1`)?.getTime() ?? 0) - (releasedAt(`${major - 1}.0.1`)?.getTime() ?? 0)) / 86_400_000;
    expect([major, days > 6 && days < 60]).toEqual([major, true]);
  }
});

test("an old one is said to be old, a young one is not", () => {
  const now = new Date("2026-11-23");
  expect(describeAge("153.0.8010.0", now)).toBe("of about September 2026, 2 months old");
  expect(ageProblem("153.0.8010.0", now)).toBeNull();
  expect(ageProblem("153.0.8010.0", new Date("2027-03-01"))).toContain("about September 2026");
  expect(ageProblem("140.0.1.0", now)).toContain("is old");
  expect(ageProblem("80.0.1.0", now)).toContain("before October 2021");
  expect(describeAge("nonsense", now)).toBe("of unknown age");
});
