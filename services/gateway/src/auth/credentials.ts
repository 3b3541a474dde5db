import type { IncomingHttpHeaders } from "node:http";

const tokenProtocol = "token.";

/** What a token and the secret of a share link look like: 32 random bytes as base64url. */
export const tokenPrefix = "wt_";
export const sharePrefix = "wts_";
const shape = /^(wts?_)[\w-]{43}$/;

/** The kind of secret that a text can be; null: neither, so that nothing has to be looked up. */
export function secretKind(text: string): "token" | "share" | null {
  const prefix = shape.exec(text)?.[1];
  return prefix === tokenPrefix ? "token" : prefix === sharePrefix ? "share" : null;
}

/** The secrets that the headers of a call carry. @param tokenHeader in lower case */
export function headerSecrets(headers: IncomingHttpHeaders, tokenHeader: string): string[] {
  const bearer = /^bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1]?.trim();
  const custom = headers[tokenHeader];
  return [...(bearer === undefined ? [] : [bearer]), ...(typeof custom === "string" ? [custom] : [])];
}

/** The secret among the subprotocols that a browser offers for a websocket. */
export function protocolSecret(offered: string | undefined): string | null {
  const carrier = (offered ?? "")
    .split(",")
    .map((part) => part.trim())
    .find((part) => part.startsWith(tokenProtocol));
  return carrier === undefined ? null : Buffer.from(carrier.slice(tokenProtocol.length), "base64url").toString("utf8");
}

/** The values of the cookies of these names; a browser sends each once, and who sends two is believed in neither. */
export function cookieOf(header: string | undefined, names: readonly string[]): string | null {
  const values = (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 && names.includes(pair.slice(0, at).trim()) ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? (values[0] ?? null) : null;
}
