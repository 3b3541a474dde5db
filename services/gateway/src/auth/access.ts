import { LRUCache } from "lru-cache";
import { AppError } from "@web-tester/contracts/errors";
import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type FetchedRequest, requireOwnSite } from "./own-site.js";
import { isSignedAddress } from "./signed-address.js";

/** Who may use this gateway. */
export interface AccessPolicy {
  /** The secret that every call must carry; null where none is set. */
  token: string | null;
  /** Header, in lower case, that may carry the token instead of `Authorization: Bearer`. */
  tokenHeader: string;
  /** Address that the gateway listens on. */
  host: string;
  /** Names that are answered while there is no token, whatever the gateway listens on; empty: see {@link requireHost}. */
  names?: readonly string[];
  /** Whether pages of other ports and subdomains of ours may ask for anything below `/api`; absent: they may not. */
  sameSite?: "refuse" | "allow";
}

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"]);
const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const tokenProtocol = "token.";

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
  if (policy.token !== null || (names.length === 0 && !isLoopback(policy.host))) return;
  const name = hostName(headers.host);
  const isOwn = name !== null && (names.length === 0 ? loopbackNames.has(name) : names.includes(name));
  if (isOwn || name === policy.host.toLowerCase()) return;
  throw new AppError(
    "forbidden_origin",
    `This server answers to ${names.length === 0 ? "localhost" : names.join(", ")} only, not to “${(headers.host ?? "").slice(0, 100)}”. Open it by that name, or set API_TOKEN and ${names.length === 0 ? "HOST" : "ALLOWED_HOSTS"} to serve other names.`,
  );
}

/**
 * Refuses what another site's page sends: browsers name the page's origin, programs name none.
 * @throws AppError forbidden_origin
 */
export function requireOwnOrigin(headers: IncomingHttpHeaders): void {
  const origin = headers.origin;
  if (origin === undefined) return;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  if (host !== null && host !== "" && host === hostWithPort(origin, headers.host)) return;
  throw new AppError(
    "forbidden_origin",
    `Pages of ${origin.slice(0, 100)} may not use this server. Use its own pages, or call it from a program.`,
  );
}

/**
 * The check in front of every route.
 * @param needsToken false for the few routes that anybody may see
 * @throws AppError forbidden_origin, unauthorized
 */
export function requireAccess(
  policy: AccessPolicy,
  request: FetchedRequest & { originalUrl?: string },
  needsToken: boolean,
): void {
  requireHost(policy, request.headers);
  const isReading = readingMethods.has(request.method ?? "");
  if (!isReading) requireOwnOrigin(request.headers);
  requireOwnSite(request, policy.sameSite ?? "refuse");
  if (!needsToken || policy.token === null || carriesToken(policy, policy.token, request.headers)) return;
  if (isReading && isSignedAddress(request.originalUrl ?? "", policy.token, Date.now())) return;
  throw unauthorized(policy);
}

/** The check before a connection becomes a websocket. @throws AppError forbidden_origin, unauthorized */
export function requireSocketAccess(policy: AccessPolicy, headers: IncomingHttpHeaders): void {
  requireHost(policy, headers);
  requireOwnOrigin(headers);
  if (policy.token === null || carriesToken(policy, policy.token, headers)) return;
  const offered = protocolToken(headers["sec-websocket-protocol"]);
  if (offered === null || !sameSecret(offered, policy.token)) throw unauthorized(policy);
}

function unauthorized(policy: AccessPolicy): AppError {
  return new AppError(
    "unauthorized",
    `This server needs its API token. Send it as “Authorization: Bearer <token>” or in the header ${policy.tokenHeader}; browsers set it under API access.`,
  );
}

function carriesToken(policy: AccessPolicy, token: string, headers: IncomingHttpHeaders): boolean {
  const bearer = /^bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1]?.trim();
  if (bearer !== undefined && sameSecret(bearer, token)) return true;
  const custom = headers[policy.tokenHeader];
  return typeof custom === "string" && sameSecret(custom, token);
}

function protocolToken(offered: string | undefined): string | null {
  const carrier = (offered ?? "")
    .split(",")
    .map((part) => part.trim())
    .find((part) => part.startsWith(tokenProtocol));
  return carrier === undefined ? null : Buffer.from(carrier.slice(tokenProtocol.length), "base64url").toString("utf8");
}

/** Takes the same time whatever the two have in common. @param own the same one for every caller */
function sameSecret(given: string, own: string): boolean {
  if (ownSecret.text !== own) ownSecret = { text: own, digest: hash("sha256", own, "buffer") };
  return timingSafeEqual(hash("sha256", given, "buffer"), ownSecret.digest);
}

let ownSecret = { text: "", digest: hash("sha256", "", "buffer") };

/** Host headers seen lately with what they name; empty where that is none. */
const knownHosts = new LRUCache<string, string>({ max: 100 });

/** `[::1]:8080` → `[::1]`, `Localhost:80` → `localhost`; null where the header is missing or no host. */
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

/** The Host header as an origin of the same scheme would write it, default port left out. */
function hostWithPort(origin: string, header: string | undefined): string | null {
  const scheme = new URL(origin).protocol;
  return header !== undefined && URL.canParse(`${scheme}//${header}`) ? new URL(`${scheme}//${header}`).host : null;
}
