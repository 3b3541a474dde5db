import { describe, expect, test } from "@jest/globals";
import { requireOwnSite } from "./own-site.js";

const asset = `/api/assets/${"0a".repeat(32)}.png`;
const render = "/api/testsnapshots/0198c0de-0000-7000-8000-000000000000/render";

function isRefused(
  path: string,
  site: string | undefined,
  {
    dest = "image",
    method = "GET",
    sameSite = "refuse" as const,
  }: { dest?: string; method?: string; sameSite?: "refuse" | "allow" } = {},
): boolean {
  const headers = site === undefined ? {} : { "sec-fetch-site": site, "sec-fetch-dest": dest };
  try {
    requireOwnSite({ method, path, headers }, sameSite);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "forbidden_origin", message: expect.stringMatching(/another site.+\.$/) });
    return true;
  }
}

test.each(["same-origin", "none", undefined])(
  "own pages, the address bar and programs ask for anything: %s",
  (site) => {
    for (const path of ["/api/export", "/api/testobjects", asset, render, "/", "/healthz"])
      for (const method of ["GET", "POST", "DELETE"]) expect(isRefused(path, site, { method })).toBe(false);
  },
);

test.each(["cross-site", "same-site", "same-origin, cross-site", "something new"])("other pages do not: %s", (site) => {
  for (const dest of ["image", "iframe", "script", "empty", "document", "embed", "track"]) {
    for (const path of ["/api/export", "/api/testobjects", "/API/export", "//api/export", "/api", "/api/docs/x.js"])
      expect([path, dest, isRefused(path, site, { dest })]).toEqual([path, dest, true]);
    // requests that change something are refused everywhere
    for (const path of ["/api/testobjects", "/healthz", asset, render])
      expect([path, isRefused(path, site, { dest, method: "POST" })]).toEqual([path, true]);
  }
});

describe("a page that is replayed is of no origin", () => {
  test.each(["image", "style", "font", "audio", "video", "document"])("it loads files as %s", (dest) =>
    expect(isRefused(asset, "cross-site", { dest })).toBe(false),
  );
  test.each(["empty", "script", "worker", "iframe", "object", "", "track"])("and nothing as “%s”", (dest) =>
    expect(isRefused(asset, "cross-site", { dest })).toBe(true),
  );
  test("a file's name is not the way to anything else", () => {
    for (const path of [`${asset}/../../export`, "/api/assets/", `/api/assets/x/y`, `${render}/x`, "/api/docs/"])
      expect([path, isRefused(path, "cross-site")]).toEqual([path, true]);
  });
});

test.each([render, "/api/docs"])("a link in a mail opens %s, which nobody frames or loads", (path) => {
  expect(isRefused(path, "cross-site", { dest: "document" })).toBe(false);
  for (const dest of ["iframe", "image", "empty", "script", "object"])
    expect(isRefused(path, "cross-site", { dest })).toBe(true);
});

test("pages of the same site may ask where that is set, those of others may not", () => {
  expect(isRefused("/api/export", "same-site", { sameSite: "allow" })).toBe(false);
  expect(isRefused("/api/export", "cross-site", { sameSite: "allow" })).toBe(true);
});
