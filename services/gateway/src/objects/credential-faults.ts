import type { AuthType } from "@web-tester/contracts/entities/vocabulary";
import { headerNameFault, isHeaderValue } from "@web-tester/contracts/visitor";
import type { Fault } from "../http/parse-input.js";

/** What an object says about signing in, once a change is made. `secret`: the new one; undefined where it stays. */
export interface Credentials {
  enabled: boolean;
  type: AuthType;
  username: string;
  secret: string | undefined;
}

/**
 * What of these no request could carry. The fetchers send none of it then, and the site would be seen as strangers see it.
 * What is switched off may wait with a wrong name; a secret never comes back to be looked at again.
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
  // RFC 7617 §2: a server takes what stands behind the first colon for the password
  return type === "basic" && username.includes(":") ? "A user name cannot have a colon in it" : null;
}
