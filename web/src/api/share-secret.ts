import { borrowSecret } from "./api-auth.js";

/** The key under which this tab stores the secret, for pages that are opened from the first one. */
const storageKey = "share";
const shape = /^#?(wts_[\w-]{43})$/;

/**
 * Reads the secret of a share link from the address, or from this tab's storage, and sends it from now on.
 * @returns whether there is one
 */
export function takeShareSecret(): boolean {
  const secret = shape.exec(location.hash)?.[1] ?? readKept();
  if (secret === undefined) return false;
  try {
    sessionStorage.setItem(storageKey, secret);
  } catch {
    // without storage the address still has it
  }
  borrowSecret(secret);
  return true;
}

function readKept(): string | undefined {
  try {
    return shape.exec(sessionStorage.getItem(storageKey) ?? "")?.[1];
  } catch {
    return undefined;
  }
}
