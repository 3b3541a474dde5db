import type { IncomingHttpHeaders } from "node:http";

/**
 * Returns the address at which the browser that sent these headers reached the server, also through a proxy that terminates TLS.
 * @param localPort port that the request came in on, for callers that send no usable Host header
 */
export function publicAddress(
  headers: IncomingHttpHeaders,
  localPort: number,
): { host: string; port: number; tls: boolean } {
  const forwarded = headers["x-forwarded-proto"];
  const tls = (typeof forwarded === "string" ? forwarded.split(",")[0]?.trim().toLowerCase() : undefined) === "https";
  const address = `${tls ? "https" : "http"}://${headers.host ?? ""}`;
  if (headers.host === undefined || !URL.canParse(address)) return { host: "localhost", port: localPort, tls };
  const url = new URL(address);
  return { host: url.hostname, port: url.port === "" ? (tls ? 443 : 80) : Number(url.port), tls };
}
