import { describe, expect, test } from "@jest/globals";
import { followRedirect, isRedirect } from "./follow-redirect.js";

const from = new URL("http://a.example/dir/page?q=1");
const once = [{ url: from.href, status: 302 }];
const follow = (location: string | null) => followRedirect(from, location, once, undefined).href;

test.each([
  [301, true],
  [302, true],
  [303, true],
  [307, true],
  [308, true],
  [300, false],
  [304, false],
  [305, false],
  [200, false],
])("status %i is a redirect: %s", (status, expected) => {
  expect(isRedirect(status)).toBe(expected);
});

describe("where a redirect leads", () => {
  test.each([
    ["/x", "http://a.example/x"],
    ["y", "http://a.example/dir/y"],
    ["?q=2", "http://a.example/dir/page?q=2"],
    ["//b.example/z", "http://b.example/z"],
    ["https://a.example/", "https://a.example/"],
    ["/x#part", "http://a.example/x"],
    ["  /trim  ", "http://a.example/trim"],
    ["HTTP://B.example:80/", "http://b.example/"],
    ["\\\\c.example\\p", "http://c.example/p"],
    [Buffer.from("/über").toString("latin1"), "http://a.example/%C3%BCber"],
    [Buffer.from("/über", "latin1").toString("latin1"), "http://a.example/%FCber"],
  ])("%j leads to %s", (location, expected) => {
    expect(follow(location)).toBe(expected);
  });

  test.each([
    [null, "without saying where to"],
    ["", "without saying where to"],
    ["   ", "without saying where to"],
    ["http://", "an invalid URL"],
    ["http://[::1", "an invalid URL"],
    ["http://a b/", "an invalid URL"],
    ["http://x:99999/", "an invalid URL"],
    ["ftp://a.example/", "starts with ftp:"],
    ["javascript:alert(1)", "starts with javascript:"],
    ["file:///etc/passwd", "starts with file:"],
    ["data:text/html,x", "starts with data:"],
    ["mailto:a@b.example", "starts with mailto:"],
    ["//user:hunter2@b.example/", "carries a user name or password"],
  ])("%j is invalid, and the message says why", (location, words) => {
    expect(() => follow(location)).toThrow(
      expect.objectContaining({ code: "redirect_invalid", message: expect.stringContaining(words) }),
    );
    expect(() => follow(location)).not.toThrow(/hunter2/);
  });

  test.each(["/dir/page?q=1", "?q=1", "#top", "http://a.example/dir/page?q=1"])(
    "%j leads back to the page itself: a circle",
    (location) => {
      expect(() => follow(location)).toThrow(
        expect.objectContaining({
          code: "too_many_redirects",
          message: expect.stringContaining("http://a.example/dir/page?… → http://a.example/dir/page?…"),
        }),
      );
    },
  );

  test("a longer circle is told step by step", () => {
    const hops = ["a", "b", "c"].map((step) => ({ url: `http://a.example/${step}`, status: 301 }));
    expect(() => followRedirect(new URL("http://a.example/c"), "/b", hops, undefined)).toThrow(
      "http://a.example/b → http://a.example/c → http://a.example/b",
    );
  });

  test("the tenth redirect is followed, the eleventh is not", () => {
    const hops = Array.from({ length: 11 }, (_, step) => ({ url: `http://a.example/${step}`, status: 301 }));
    const last = (count: number) =>
      followRedirect(new URL(`http://a.example/${count - 1}`), `/${count}`, hops.slice(0, count), undefined).href;
    expect(last(10)).toBe("http://a.example/10");
    expect(() => last(11)).toThrow(
      expect.objectContaining({ code: "too_many_redirects", message: expect.stringContaining("more than 10 times") }),
    );
  });

  test("the caller's reason is told", () => {
    expect(() =>
      followRedirect(from, "http://b.example/?token=hunter2", once, (target) =>
        target.host === "b.example" ? "it is on another site." : null,
      ),
    ).toThrow(
      expect.objectContaining({
        code: "out_of_scope",
        message:
          "http://a.example/dir/page?… redirects (302) to http://b.example/?…, which was not followed: it is on another site.",
      }),
    );
    expect(followRedirect(from, "/x", once, () => null).href).toBe("http://a.example/x");
  });
});
