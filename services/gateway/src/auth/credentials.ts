import type { IncomingHttpHeaders } from "node:http";

const tokenProtocol = "token.";

/** Prefixes of tokens and of share links' secrets, which continue with 32 random bytes as base64url. */
export const tokenPrefix = "wt_";
export const sharePrefix = "wts_";
const shape = /^(wts?_)[\w-]{43}$/;

/** Tells by its form which kind of secret a text can be; null: neither, so that no lookup is needed. */
export function secretKind(text: string): "token" | "share" | null {
  const prefix = shape.exec(text)?.[1];
  return prefix === tokenPrefix ? "token" : prefix === sharePrefix ? "share" : null;
}

/**
 * The secrets in the headers of a call.
 * @param tokenHeader in lower case
 */
export function headerSecrets(headers: IncomingHttpHeaders, tokenHeader: string): string[] {
  const bearer = /^bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1]?.trim();
  const custom = headers[tokenHeader];
  return [...(bearer === undefined ? [] : [bearer]), ...(typeof custom === "string" ? [custom] : [])];
}

/**
 * Tells whether a request has a secret, which may be a guess; one of a browser that is not signed in has none.
 * @param tokenHeader in lower case
 */
export const secretShown =
  (tokenHeader: string) =>
  ({ headers, method, path }: { headers: IncomingHttpHeaders; method: string; path: string }): boolean =>
    headerSecrets(headers, tokenHeader).length > 0 || (method === "POST" && path === "/api/session");

/** The secret among the subprotocols that a browser offers for a websocket. */
export function protocolSecret(offered: string | undefined): string | null {
  const carrier = (offered ?? "")
    .split(",")
    .map((part) => part.trim())
    .find((part) => part.startsWith(tokenProtocol));
  return carrier === undefined ? null : Buffer.from(carrier.slice(tokenProtocol.length), "base64url").toString("utf8");
}

/** The value of the one cookie with any of these names: a browser sends one, and where there are several, none is trusted. */
export function cookieOf(header: string | undefined, names: readonly string[]): string | null {
  const values = (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 && names.includes(pair.slice(0, at).trim()) ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? (values[0] ?? null) : null;
}
