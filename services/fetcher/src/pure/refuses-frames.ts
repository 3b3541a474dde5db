import { directivesOf, sentPolicies } from "@web-tester/html/replay/content-policy";

type Headers = Readonly<Record<string, string | string[]>>;

/**
 * Returns the header that keeps a document from being shown in a frame of a page: X-Frame-Options (RFC 7034), or `frame-ancestors` of CSP 3, which
 * overrides it.
 * @param headers names in lower case
 * @returns the header in readable form; null if the frame shows the document
 */
export function refusesFrames(headers: Headers, documentUrl: string, pageUrl: string): string | null {
  const [own, page] = [new URL(documentUrl), new URL(pageUrl)];
  const ancestors = sentPolicies(headers)
    .map((policy) => directivesOf(policy).get("frame-ancestors"))
    .filter((sources) => sources !== undefined);
  if (ancestors.length > 0) {
    const refusing = ancestors.find((sources) => !sources.some((source) => matches(source, own, page)));
    return refusing === undefined ? null : `frame-ancestors ${refusing.join(" ")}`.trim();
  }
  const words = valuesOf(headers, "x-frame-options").map((word) => word.toLowerCase());
  const isRefused = words.includes("deny") || (words.includes("sameorigin") && own.origin !== page.origin);
  return isRefused ? `X-Frame-Options: ${words.join(", ").toUpperCase()}` : null;
}

function valuesOf(headers: Headers, name: string): string[] {
  const values = headers[name] ?? [];
  return (typeof values === "string" ? [values] : values).flatMap((value) => value.split(",")).map((one) => one.trim());
}

const hostSource = /^(?:([a-z][a-z\d+.-]*):\/\/)?(\*|(?:\*\.)?[a-z\d.-]+|\[[\da-f:.]+\])(?::(\d+|\*))?(?:\/.*)?$/;

function matches(written: string, own: URL, page: URL): boolean {
  const source = written.toLowerCase();
  if (source === "'self'") return own.origin === page.origin;
  if (source === "*") return true;
  if (/^[a-z][a-z\d+.-]*:$/.test(source)) return isScheme(source, page);
  const [, scheme, host = "", port] = hostSource.exec(source) ?? [];
  if (host === "" || !isScheme(scheme === undefined ? own.protocol : `${scheme}:`, page)) return false;
  const isHost = host.startsWith("*") ? page.hostname.endsWith(host.slice(1)) : page.hostname === host;
  return isHost && (port === "*" || (port ?? defaultPort(page)) === (page.port || defaultPort(page)));
}

/** Whether a page's scheme matches; https also matches a source with http. */
const isScheme = (scheme: string, { protocol }: URL): boolean =>
  scheme === protocol || (scheme === "http:" && protocol === "https:");

const defaultPort = ({ protocol }: URL): string => (protocol === "https:" ? "443" : "80");
