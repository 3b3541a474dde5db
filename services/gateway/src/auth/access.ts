import { LRUCache } from "lru-cache";
import { AppError } from "@web-tester/contracts/errors";
import type { IncomingHttpHeaders } from "node:http";
import { type FetchedRequest, requireOwnSite } from "./own-site.js";

/** The settings that decide who may use this gateway. */
export interface AccessPolicy {
  /** API_TOKEN, whose holder is the first admin; null where none is set. */
  token: string | null;
  /** Whether people can sign in at an identity provider. */
  hasProvider: boolean;
  /** The key of signed addresses, which open without further credentials. */
  signingKey: Buffer;
  /** Names of the sign-in cookie, over plain HTTP and over TLS. */
  cookies: { plain: string; overTls: string };
  /** Header, in lower case, that may carry the token instead of `Authorization: Bearer`. */
  tokenHeader: string;
  /** Address that the gateway listens on. */
  host: string;
  /** Host names that are answered while no token is set, whatever address the gateway listens on; empty: see {@link requireHost}. */
  names?: readonly string[];
  /** Whether pages on other ports and subdomains of the product's site may ask for anything below `/api`; absent: they may not. */
  sameSite?: "refuse" | "allow";
}

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"]);
const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** The subprotocol that the gateway speaks; the token travels beside it as `token.<base64url>`. */
export const socketProtocol = "web-tester";

/** Whether an address to listen on is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Refuses names that a loopback listener cannot have: without a token, a foreign page whose own name was pointed at this
 * machine (DNS rebinding) could otherwise read and write everything.
 * @throws AppError forbidden_origin
 */
export function requireHost(policy: AccessPolicy, headers: IncomingHttpHeaders): void {
  const { names = [] } = policy;
  if (policy.token !== null || policy.hasProvider || (names.length === 0 && !isLoopback(policy.host))) return;
  const name = hostName(headers.host);
  const isOwn = name !== null && (names.length === 0 ? loopbackNames.has(name) : names.includes(name));
  if (isOwn || name === policy.host.toLowerCase()) return;
  throw new AppError(
    "forbidden_origin",
    `This server answers to ${names.length === 0 ? "localhost" : names.join(", ")} only, not to “${(headers.host ?? "").slice(0, 100)}”. Open it by that name, or set API_TOKEN and ${names.length === 0 ? "HOST" : "ALLOWED_HOSTS"} to serve other names.`,
  );
}

/**
 * Refuses requests sent by another site's page: browsers send the page's origin, programs send none.
 * @throws AppError forbidden_origin
 */
export function requireOwnOrigin(headers: IncomingHttpHeaders): void {
  const origin = headers.origin;
  if (origin === undefined) return;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  if (host !== null && host !== "" && host === hostWithPort(origin, headers.host)) return;
  throw new AppError(
    "forbidden_origin",
    `Pages of ${origin.slice(0, 100)} cannot use this server. Use the product's own pages, or call the API from a program.`,
  );
}

/**
 * Checks, before every route and whoever asks, by which host name and from which site's page a request comes.
 * @throws AppError forbidden_origin
 */
export function requireSite(policy: AccessPolicy, request: FetchedRequest): void {
  requireHost(policy, request.headers);
  if (!readingMethods.has(request.method ?? "")) requireOwnOrigin(request.headers);
  requireOwnSite(request, policy.sameSite ?? "refuse");
}

/**
 * Does the same check before a connection becomes a websocket.
 * @throws AppError forbidden_origin
 */
export function requireSocketSite(policy: AccessPolicy, headers: IncomingHttpHeaders): void {
  requireHost(policy, headers);
  requireOwnOrigin(headers);
}

/** The error for callers whose credentials are missing or not valid. */
export function unauthorized(policy: Pick<AccessPolicy, "tokenHeader">): AppError {
  return new AppError(
    "unauthorized",
    `This server needs its API token. Send it as “Authorization: Bearer <token>” or in the header ${policy.tokenHeader}; browsers sign in, or set it under API access. If you sent a token, it is wrong, revoked or expired.`,
  );
}

/** Recently seen Host headers with the host names in them; empty where a header holds none. */
const knownHosts = new LRUCache<string, string>({ max: 100 });

/** `[::1]:8080` → `[::1]`, `Localhost:80` → `localhost`; null where the header is missing or holds no host. */
function hostName(header: string | undefined): string | null {
  if (header === undefined) return null;
  let name = knownHosts.get(header);
  if (name === undefined) {
    name = readHostName(header) ?? "";
    knownHosts.set(header, name);
  }
  return name === "" ? null : name;
}

function readHostName(header: string): string | null {
  if (!URL.canParse(`http://${header}`)) return null;
  const url = new URL(`http://${header}`);
  return url.username === "" && url.pathname === "/" && url.search === "" ? url.hostname : null;
}

/** The Host header as an origin with the same scheme writes it: without the default port. */
function hostWithPort(origin: string, header: string | undefined): string | null {
  const scheme = new URL(origin).protocol;
  return header !== undefined && URL.canParse(`${scheme}//${header}`) ? new URL(`${scheme}//${header}`).host : null;
}
