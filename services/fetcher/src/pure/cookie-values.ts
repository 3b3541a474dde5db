import type { ClaimedSnapshot } from "@web-tester/records/snapshots/claim-snapshots";

type Headers = Record<string, string | string[]>;

/** Whether a page was asked for as somebody whom the site knows: what it answers may be worth as much as the password. */
export function isKnownVisitor({ authEnabled, visit }: Pick<ClaimedSnapshot, "authEnabled" | "visit">): boolean {
  return authEnabled || visit.signsIn || visit.headersSealed !== null;
}

/**
 * Headers as they are kept of a page that was asked for by a known visitor: of each cookie that it sets its name and attributes (RFC 6265 §4.1), but
 * not its value. That is a session at the site, and a snapshot is seen by many: those who may only look, whoever has a link to it, readers of exports.
 */
export function withoutCookieValues(headers: Headers): Headers {
  const set = Object.hasOwn(headers, "set-cookie") ? headers["set-cookie"] : undefined;
  if (set === undefined) return headers;
  return { ...headers, "set-cookie": typeof set === "string" ? withoutValues(set) : set.map(withoutValues) };
}

/** @param cookies one, or as a browser gives them: several, one a line */
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
