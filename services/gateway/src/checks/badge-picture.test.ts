import { describe, expect, test } from "@jest/globals";
import { badgePicture } from "./badge-picture.js";

describe("a badge", () => {
  test("says what it is about and how it is", () => {
    const svg = badgePicture("staging", "waiting", "3 to review");
    expect(svg).toContain(`aria-label="staging: 3 to review"`);
  });

  test("names are no markup", () => {
    const svg = badgePicture(`</title><script>alert(1)</script>\u0000"&`, "accepted", "accepted");
    expect(svg).toContain("&#60;/title&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#38;");
    expect(svg).not.toContain("<script");
  });

  test("is as wide as its letters, whatever they are written as", () => {
    const width = (label: string) => /width="(\d+)"/.exec(badgePicture(label, "accepted", "accepted"))?.[1];
    expect(width("R&D")).toBe(width("RnD"));
    expect(width("R&D")).not.toBe(width("R and D"));
  });

  test("a long name is cut", () => {
    expect(badgePicture("x".repeat(500), "none", "no check").length).toBeLessThan(1_200);
  });
});
