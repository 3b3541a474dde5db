import { limits } from "@web-tester/contracts/limits";

/** The badge's text; undefined: no badge. */
export function unreadLabel(unread: number): string | undefined {
  if (unread <= 0) return undefined;
  return unread > limits.consoleUnreadCap ? `${limits.consoleUnreadCap}+` : String(unread);
}
