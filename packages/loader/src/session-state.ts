import { z } from "zod";
import type { Authorization } from "./authorization.js";

/**
 * A cookie as a browser keeps it. `domain` begins with a dot where subdomains get it too; `expires` is in seconds since
 * 1970, -1 for a session cookie.
 */
const keptCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  expires: z.number(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.enum(["Strict", "Lax", "None"]),
});

/** The state by which a site recognises a visitor who has signed in. */
export const sessionState = z.object({
  /** The login page: a visitor who is redirected there is no longer signed in. */
  loginUrl: z.string(),
  cookies: z.array(keptCookie),
  /** What scripts of the site stored (`localStorage`), by origin. */
  storage: z.array(z.object({ origin: z.string(), items: z.array(z.tuple([z.string(), z.string()])) })),
});
export type SessionState = z.infer<typeof sessionState>;

/** Returns the `Cookie` header that a browser would send to this address; null where there is none. Source: RFC 6265 §5.4. */
export function cookieHeader({ cookies }: SessionState, url: URL): string | null {
  const now = Date.now() / 1000;
  const sent = cookies.filter(({ domain, path, expires, secure }) => {
    const host = domain.startsWith(".")
      ? url.hostname === domain.slice(1) || url.hostname.endsWith(domain)
      : url.hostname === domain;
    const isBelow = url.pathname === path || url.pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
    return host && isBelow && (!secure || url.protocol === "https:") && (expires === -1 || expires > now);
  });
  return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join("; ");
}

/**
 * Adds the cookies of a session to credentials, for requests over HTTP. @param page an address of an object, and the object's own
 */
export function withSession(
  authorization: Authorization | null,
  { url, objectUrl }: { url: string; objectUrl: string },
  session: SessionState | null,
): Authorization | null {
  const cookie = session === null ? null : cookieHeader(session, new URL(url));
  if (cookie === null) return authorization;
  const own = authorization?.headers["cookie"];
  return {
    origin: authorization?.origin ?? new URL(objectUrl).origin,
    headers: { ...authorization?.headers, cookie: own === undefined ? cookie : `${own}; ${cookie}` },
  };
}

/** Whether a requested page turned out to be the login page, or answered 401. */
export function isSignedOut(
  state: SessionState,
  asked: string,
  found: { finalUrl: string; status: number | null },
): boolean {
  if (found.status === 401) return true;
  const [login, wanted, last] = [state.loginUrl, asked, found.finalUrl].map(placeOf);
  return last === login && wanted !== login;
}

function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.origin}${parsed.pathname.replace(/\/$/, "")}`;
}
