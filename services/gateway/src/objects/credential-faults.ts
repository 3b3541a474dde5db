import type { AuthType } from "@web-tester/contracts/entities/vocabulary";
import { headerNameFault, isHeaderValue } from "@web-tester/contracts/visitor";
import type { Fault } from "../http/parse-input.js";

/** The credentials that an object would have after a change. `secret`: the new one; undefined where it stays as it is. */
export interface Credentials {
  enabled: boolean;
  type: AuthType;
  username: string;
  secret: string | undefined;
}

/**
 * Finds credentials that no HTTP request could carry. The fetchers would leave them out, and see the site as an anonymous visitor. A
 * wrong name may stay while credentials are switched off; a secret is always checked, because nobody can look at it later.
 */
export function credentialFaults({ enabled, type, username, secret }: Credentials): Fault[] {
  const name = enabled && username !== "" ? nameFault(type, username) : null;
  return [
    ...(name === null ? [] : [{ path: "body.auth_username", message: name }]),
    ...(type === "basic" || secret === undefined || isHeaderValue(secret)
      ? []
      : [{ path: "body.auth_password", message: "holds signs or line breaks that no header can carry" }]),
  ];
}

function nameFault(type: AuthType, username: string): string | null {
  if (type === "header") return headerNameFault(username);
  // RFC 7617 §2: a server takes everything after the first colon for the password
  return type === "basic" && username.includes(":") ? "A user name cannot have a colon in it" : null;
}
