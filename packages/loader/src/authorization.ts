import {
  headerFault,
  headerName,
  headerNameFault,
  headersContext,
  isHeaderValue,
  type SiteVisit,
} from "@web-tester/contracts/visitor";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";

/** The credentials and headers that a test object has for its site. */
export interface SiteAccess {
  objectId: string;
  objectUrl: string;
  authEnabled: boolean;
  authType: string;
  authUsername: string;
  authPasswordSealed: Buffer | null;
  visit: Pick<SiteVisit, "headersSealed">;
}

/** Headers for exactly one origin; they are never sent to another one, redirects included. */
export interface Authorization {
  origin: string;
  headers: Record<string, string>;
}

/** @returns null where the object has no credentials or headers, or what is stored cannot be a header */
export function authorizationOf(access: SiteAccess, secrets: SecretBox): Authorization | null {
  const headers = { ...ownHeaders(access, secrets), ...credentials(access, secrets) };
  if (Object.keys(headers).length === 0) return null;
  return { origin: new URL(access.objectUrl).origin, headers };
}

function credentials(access: SiteAccess, secrets: SecretBox): Record<string, string> {
  if (!access.authEnabled) return {};
  const secret = access.authPasswordSealed === null ? "" : secrets.open(access.authPasswordSealed, access.objectId);
  const header = headerOf(access, secret);
  if (header === null || headerNameFault(header.name) !== null || !isHeaderValue(header.value)) return {};
  return { [header.name.toLowerCase()]: header.value };
}

/** The headers that a person gave, by name in lower case; several of one name are joined, as servers read them. */
function ownHeaders({ objectId, visit: { headersSealed } }: SiteAccess, secrets: SecretBox): Record<string, string> {
  if (headersSealed === null) return {};
  const found: Record<string, string> = {};
  for (const line of secrets.open(Buffer.from(headersSealed, "hex"), headersContext(objectId)).split("\n")) {
    if (headerFault(line) !== null) continue;
    const name = headerName(line).toLowerCase();
    const value = line.slice(name.length + 1).trim();
    const known = found[name];
    found[name] = known === undefined ? value : `${known}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return found;
}

function headerOf(access: SiteAccess, secret: string): { name: string; value: string } | null {
  switch (access.authType) {
    case "basic":
      return {
        name: "authorization",
        value: `Basic ${Buffer.from(`${access.authUsername}:${secret}`, "utf8").toString("base64")}`,
      };
    case "bearer":
      return secret === "" ? null : { name: "authorization", value: `Bearer ${secret}` };
    case "header":
      return access.authUsername === "" ? null : { name: access.authUsername, value: secret };
    default:
      return null;
  }
}
