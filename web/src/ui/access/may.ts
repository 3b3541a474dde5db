import { useSyncExternalStore } from "react";
import { api, type EndpointName } from "@web-tester/contracts/api";
import { includesRole, type Role } from "@web-tester/contracts/entities/role";
import { t } from "../../texts/text.js";
import { roleWords } from "./role-words.js";

let mine: Role | null = null;
const listeners = new Set<() => void>();

/**
 * Tells all screens the reader's role, which decides what they may do.
 * @param role null: not known yet; until then nothing is refused
 */
export function setMyRole(role: Role | null): void {
  if (role === mine) return;
  mine = role;
  for (const listener of [...listeners]) listener();
}

function onRole(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says why a role may not make a call; null where it may. The role that a call needs is in the table of endpoints. */
export function refusalOf(role: Role | null, name: EndpointName): string | null {
  const { role: needed } = api[name];
  if (role === null || includesRole(role, needed) || needed === "public") return null;
  return t("Needs the role {needed}; yours is {role}.", { needed: t(roleWords[needed]), role: t(roleWords[role]) });
}

/** Returns a function that says whether the reader may make a call: null, or why not. */
export function useRefusals(): (name: EndpointName) => string | null {
  const role = useSyncExternalStore(onRole, () => mine);
  return (name) => refusalOf(role, name);
}
