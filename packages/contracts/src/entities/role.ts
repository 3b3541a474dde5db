import { z } from "zod";

/**
 * The roles; each includes the rights of those before it. viewer: read. reviewer: decide which changes are intended, write rules and
 * labels, share. operator: everything about sites, from registering to deleting them. admin: also access rights and notifications.
 */
export const role = z.enum(["viewer", "reviewer", "operator", "admin"]).meta({ id: "Role" });
export type Role = z.infer<typeof role>;

/** The role that a call needs, or `public` for none. */
export const endpointRole = z.union([role, z.literal("public")]);
export type EndpointRole = z.infer<typeof endpointRole>;

/** Whether a role includes the rights of another one. */
export function includesRole(own: Role, needed: EndpointRole): boolean {
  return needed === "public" || role.options.indexOf(own) >= role.options.indexOf(needed);
}
