import { z } from "zod";
import { t } from "../texts/text.js";

/** Where this browser keeps the setting. Source: specification §3 and §6. */
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

/** @param text what the browser kept; anything that is not the setting counts as none */
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
    // A browser that keeps nothing: the setting lasts as long as the page.
    return null;
  }
}

function changeTo(next: ApiAuth): void {
  current = next;
  refused = false;
  for (const listener of [...listeners, ...refusalListeners]) listener();
}

export const readApiAuth = (): ApiAuth => current;

/** Sends the secret of a share link, and nothing else, for as long as this page lives; what the browser keeps stays as it is. */
export function borrowSecret(token: string): void {
  borrowed = true;
  changeTo({ ...noApiAuth, enabled: true, token });
}

/** Keeps the setting in this browser; every request and connection from now on carries it. */
export function writeApiAuth(next: ApiAuth): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(next));
  } catch {
    // As above: it still counts for this page.
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

/** Hears of every change, also of those made in another tab. @returns how to stop */
export function onApiAuth(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Hears when the API turns this browser away, and when that no longer counts. @returns how to stop */
export function onRefusal(listener: () => void): () => void {
  refusalListeners.add(listener);
  return () => refusalListeners.delete(listener);
}

/** Begins to follow what other tabs of this browser set. */
export function followOtherTabs(): void {
  window.addEventListener("storage", (event) => {
    if (borrowed || (event.key !== storageKey && event.key !== null)) return;
    changeTo(parseApiAuth(event.newValue));
  });
}

/** The secret that is sent, empty where none is. */
const secretOf = (auth: ApiAuth): string =>
  auth.enabled ? (auth.mode === "bearer" ? auth.token : auth.headerValue).trim() : "";

/** Headers that a request carries. */
export function authHeaders(auth: ApiAuth = current): Record<string, string> {
  const secret = secretOf(auth);
  if (secret === "") return {};
  if (auth.mode === "bearer") return { Authorization: `Bearer ${secret}` };
  const name = auth.headerName.trim();
  return name === "" ? {} : { [name]: secret };
}

/** Subprotocols of a websocket: a browser cannot send headers with one. */
export function authProtocols(auth: ApiAuth = current): string[] {
  const secret = secretOf(auth);
  if (secret === "") return [];
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(String.fromCharCode(...bytes));
  return ["web-tester", `token.${base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`];
}

/** What is wrong with a setting, by field; empty where it can be used. */
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
