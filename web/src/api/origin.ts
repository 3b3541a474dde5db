const loopback = new Set(["localhost", "127.0.0.1", "[::1]", "0.0.0.0"]);

/**
 * Finds the API's origin from the configured host, port and tls flag; the page's own origin where they mean the same place (as the
 * loopback names do), so that a page opened as localhost stays within its own content security policy.
 */
export function originOf(
  config: { host: string; port: number; tls: boolean },
  page: { origin: string; hostname: string; port: string; protocol: string },
): string {
  const protocol = config.tls ? "https:" : "http:";
  const standardPort = config.tls ? 443 : 80;
  const pagePort = page.port === "" ? (page.protocol === "https:" ? 443 : 80) : Number(page.port);
  const sameHost = config.host === page.hostname || (loopback.has(config.host) && loopback.has(page.hostname));
  if (sameHost && config.port === pagePort && protocol === page.protocol) return page.origin;
  return `${protocol}//${config.host}${config.port === standardPort ? "" : `:${config.port}`}`;
}

/** The websocket address of a path on an origin. */
export const socketAddress = (origin: string, path: string): string => `${origin.replace(/^http/, "ws")}${path}`;
