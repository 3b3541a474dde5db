import { z } from "zod";
import { t } from "../texts/text.js";

/** The key of the setting in this browser's storage. Source: specification §3 and §6. */
const storageKey = "apiAuth";

const apiAuth = z.object({
  enabled: z.boolean().catch(false),
  mode: z.enum(["bearer", "header"]).catch("bearer"),
  token: z.string().catch(""),
  headerName: z.string().catch(""),
  headerValue: z.string().catch(""),
});
/** How this browser identifies itself to a protected API: a bearer token, or a header of its own. */
export type ApiAuth = z.infer<typeof apiAuth>;

export const noApiAuth: ApiAuth = { enabled: false, mode: "bearer", token: "", headerName: "", headerValue: "" };

/**
 * Parses the setting.
 * @param text as stored; anything invalid counts as no setting
 */
export function parseApiAuth(text: string | null): ApiAuth {
  try {
    return apiAuth.parse(JSON.parse(text ?? ""));
  } catch {
    return noApiAuth;
  }
}

let current = parseApiAuth(readStored());
let refused = false;
let borrowed = false;
const listeners = new Set<() => void>();
const refusalListeners = new Set<() => void>();

function readStored(): string | null {
  try {
    return globalThis.localStorage.getItem(storageKey);
  } catch {
    // The browser blocks its storage: the setting lasts as long as the page.
    return null;
  }
}

function changeTo(next: ApiAuth): void {
  current = next;
  refused = false;
  for (const listener of [...listeners, ...refusalListeners]) listener();
}

export const readApiAuth = (): ApiAuth => current;

/** Sends the secret of a share link, and no other credentials, until the page is closed; the stored setting stays as it is. */
export function borrowSecret(token: string): void {
  borrowed = true;
  changeTo({ ...noApiAuth, enabled: true, token });
}

/** Stores the setting in this browser; from now on every request and connection uses it. */
export function writeApiAuth(next: ApiAuth): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(next));
  } catch {
    // As above: the setting still counts for this page.
  }
  changeTo(next);
}

/** Whether the API turned this browser away since the setting was last changed. */
export const wasRefused = (): boolean => refused;

export function noteRefused(): void {
  if (refused) return;
  refused = true;
  for (const listener of [...refusalListeners]) listener();
}

/**
 * Listens to every change, also to those made in another tab.
 * @returns how to stop
 */
export function onApiAuth(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Listens for when the API turns this browser away, and for when that no longer counts.
 * @returns how to stop
 */
export function onRefusal(listener: () => void): () => void {
  refusalListeners.add(listener);
  return () => refusalListeners.delete(listener);
}

/** Begins to follow changes that other tabs of this browser make. */
export function followOtherTabs(): void {
  window.addEventListener("storage", (event) => {
    if (borrowed || (event.key !== storageKey && event.key !== null)) return;
    changeTo(parseApiAuth(event.newValue));
  });
}

/** The secret that is sent, empty where none is. */
const secretOf = (auth: ApiAuth): string =>
  auth.enabled ? (auth.mode === "bearer" ? auth.token : auth.headerValue).trim() : "";

/** The headers that identify a request. */
export function authHeaders(auth: ApiAuth = current): Record<string, string> {
  const secret = secretOf(auth);
  if (secret === "") return {};
  if (auth.mode === "bearer") return { Authorization: `Bearer ${secret}` };
  const name = auth.headerName.trim();
  return name === "" ? {} : { [name]: secret };
}

/** The subprotocols that identify a websocket, because browsers cannot send headers with one. */
export function authProtocols(auth: ApiAuth = current): string[] {
  const secret = secretOf(auth);
  if (secret === "") return [];
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(String.fromCharCode(...bytes));
  return ["web-tester", `token.${base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`];
}

/** What is wrong with a setting, by field; empty where it is valid. */
export function faultsOf(auth: ApiAuth): { token?: string; headerName?: string; headerValue?: string } {
  if (!auth.enabled) return {};
  const visible = /^[\x21-\x7e]+$/;
  const words = t("Enter the value without spaces; it has visible ASCII characters only.");
  if (auth.mode === "bearer") return visible.test(auth.token.trim()) ? {} : { token: words };
  return {
    ...(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(auth.headerName.trim())
      ? {}
      : { headerName: t("Enter the name of a header, for example X-API-Token.") }),
    ...(visible.test(auth.headerValue.trim()) ? {} : { headerValue: words }),
  };
}
