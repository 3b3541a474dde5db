import { expect, test } from "@jest/globals";
import { isKnownVisitor, withoutCookieValues } from "./cookie-values.js";

test.each<[what: string, set: string | string[], kept: string | string[]]>([
  ["one", "sid=secret; Path=/; HttpOnly", "sid=***; Path=/; HttpOnly"],
  ["a value with equals signs", "sid=c2Vj=cmV0==", "sid=***"],
  ["a quoted value", 'sid="secret"; Secure', "sid=***; Secure"],
  ["no value", "sid=; Max-Age=0", "sid=***; Max-Age=0"],
  ["no name", "secret; Path=/", "***; Path=/"],
  ["several", ["a=secret", "b=secret; Domain=x.test"], ["a=***", "b=***; Domain=x.test"]],
  ["several in one header, as a browser has them", "a=secret; Path=/\nb=secret", "a=***; Path=/\nb=***"],
])("%s", (_what, set, kept) => {
  const others = { "content-type": "text/html", etag: '"secret=1"' };
  expect(withoutCookieValues({ ...others, "set-cookie": set })).toEqual({ ...others, "set-cookie": kept });
});

test("without cookies headers stay as they are", () => {
  const headers = JSON.parse('{"__proto__":"x","server":"y"}') as Record<string, string>;
  expect(withoutCookieValues(headers)).toBe(headers);
});

test("a known visitor is one who signs in, has a password or sends headers of their own", () => {
  const visit = { headersSealed: null, signsIn: false } as Parameters<typeof isKnownVisitor>[0]["visit"];
  const known = (...others: Partial<typeof visit>[]) =>
    others.map((other) => isKnownVisitor({ authEnabled: false, visit: { ...visit, ...other } }));
  expect(known({}, { signsIn: true }, { headersSealed: "00" })).toEqual([false, true, true]);
  expect(isKnownVisitor({ authEnabled: true, visit })).toBe(true);
});
