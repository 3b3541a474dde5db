import { describe, expect, test } from "@jest/globals";
import { conditionOf, freshenHeaders, isWholeFileDue } from "./conditional.js";

const url = "https://a.example/page";
const previous = {
  hash: "aa",
  size: 10,
  keyframe: "aa",
  charset: "utf-8",
  filesId: null,
  filesHash: null,
  headers: { etag: '"v1"', "last-modified": "Tue, 05 Mar 2024 10:00:00 GMT" } as Record<string, string | string[]>,
  finalUrl: url,
  redirected: false,
  askedAs: "as before" as string | null,
  scripts: null,
  wholeIsDue: false,
};
const asked = (change: Partial<typeof previous> | null) =>
  conditionOf({ url, askedAs: "as before", previous: change === null ? null : { ...previous, ...change } });

test("asks with both validators of the snapshot before", () => {
  expect(asked({})).toEqual({ etag: '"v1"', lastModified: "Tue, 05 Mar 2024 10:00:00 GMT" });
  expect(asked({ headers: { etag: 'W/"weak"' } })).toEqual({ etag: 'W/"weak"', lastModified: null });
});

test.each([
  ["there is none", null],
  ["other settings (mode, credentials, dropped parameters)", { askedAs: "otherwise" }],
  ["no record of its settings", { askedAs: null }],
  ["a redirect", { redirected: true }],
  ["another address", { finalUrl: "https://a.example/other" }],
  ["many answers of 304 in a row", { wholeIsDue: true }],
  ["no validator", { headers: { date: "Tue, 05 Mar 2024 10:00:00 GMT" } }],
])("asks for the whole page after %s", (_what, change) => {
  expect(asked(change)).toBeNull();
});

describe("validators that cannot be sent back are left out", () => {
  test.each([
    ["without quotes", { etag: "v1" }],
    ["with a line break", { etag: '"a\r\nx-evil: 1"' }],
    ["beyond ASCII", { etag: '"ä"' }],
    ["sent twice", { etag: ['"a"', '"b"'] }],
    ["endless", { etag: `"${"a".repeat(2_000)}"` }],
    ["a date in words", { "last-modified": "yesterday" }],
    ["a name of Object's own", { constructor: '"x"' }],
  ])("%s", (_what, headers) => {
    expect(asked({ headers })).toBeNull();
  });
});

test("a 304 renews what it says and leaves what describes the body", () => {
  expect(
    freshenHeaders(
      { "content-type": "text/html", etag: '"v1"', "content-length": "10", "set-cookie": ["a=1", "b=2"] },
      { etag: '"v2"', "content-length": "0", "content-type": "text/plain", date: "now" },
    ),
  ).toEqual({
    "content-type": "text/html",
    etag: '"v2"',
    "content-length": "10",
    "set-cookie": ["a=1", "b=2"],
    date: "now",
  });
});

test("each file is asked for as a whole in one of twenty rounds, and not all files in the same", () => {
  const rounds = Array.from(
    { length: 2_000 },
    (_, index) => `01a22ad0-4248-7d68-bdf3-${String(index).padStart(12, "0")}`,
  );
  const dueOf = (file: string) => rounds.filter((round) => isWholeFileDue(round, `https://a.example/${file}`));
  const [a, b] = [dueOf("a.css"), dueOf("b.css")];
  for (const due of [a, b]) {
    expect(due.length).toBeGreaterThan(60);
    expect(due.length).toBeLessThan(140);
  }
  expect(a.filter((round) => b.includes(round)).length).toBeLessThan(a.length / 2);
});
