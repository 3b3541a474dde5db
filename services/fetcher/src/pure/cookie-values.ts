import type { ClaimedSnapshot } from "@web-tester/records/snapshots/claim-snapshots";

type Headers = Record<string, string | string[]>;

/** Whether a page was asked for as a visitor whom the site knows: a cookie in its answer may be worth as much as the password. */
export function isKnownVisitor({ authEnabled, visit }: Pick<ClaimedSnapshot, "authEnabled" | "visit">): boolean {
  return authEnabled || visit.signsIn || visit.headersSealed !== null;
}

/**
 * Returns the headers to keep of a page that a known visitor asked for: of each cookie that is set, its name and
 * attributes (RFC 6265 §4.1), but not its value. The value is a session at the site, and many see a snapshot: viewers,
 * people with a link to it, readers of exports.
 */
export function withoutCookieValues(headers: Headers): Headers {
  const set = Object.hasOwn(headers, "set-cookie") ? headers["set-cookie"] : undefined;
  if (set === undefined) return headers;
  return { ...headers, "set-cookie": typeof set === "string" ? withoutValues(set) : set.map(withoutValues) };
}

/** @param cookies one cookie, or several, one per line, as a browser reports them */
function withoutValues(cookies: string): string {
  return cookies
    .split("\n")
    .map((cookie) => {
      const [pair = "", ...attributes] = cookie.split(";");
      const name = pair.includes("=") ? pair.slice(0, pair.indexOf("=") + 1) : "";
      return [`${name}***`, ...attributes].join(";");
    })
    .join("\n");
}
