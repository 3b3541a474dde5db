import { borrowSecret } from "./api-auth.js";

/** Where this tab keeps the secret, for pages that are opened from the first one. */
const storageKey = "share";
const shape = /^#?(wts_[\w-]{43})$/;

/** Takes the secret of a share link from the address, or from this tab, and sends it from now on. @returns whether there is one */
export function takeShareSecret(): boolean {
  const secret = shape.exec(location.hash)?.[1] ?? readKept();
  if (secret === undefined) return false;
  try {
    sessionStorage.setItem(storageKey, secret);
  } catch {
    // a browser that keeps nothing: the address still has it
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
