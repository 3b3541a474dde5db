import { z } from "zod";

/**
 * What somebody may do, each including what stands before it. viewer: read. reviewer: say which changes are intended, write rules and
 * labels, share. operator: everything about sites, from registering to deleting them. admin: also who may do what, and who is told.
 */
export const role = z.enum(["viewer", "reviewer", "operator", "admin"]).meta({ id: "Role" });
export type Role = z.infer<typeof role>;

/** What a call asks for: a role, or nothing at all. */
export const endpointRole = z.union([role, z.literal("public")]);
export type EndpointRole = z.infer<typeof endpointRole>;

/** Whether a role may do what another one is needed for. */
export function includesRole(own: Role, needed: EndpointRole): boolean {
  return needed === "public" || role.options.indexOf(own) >= role.options.indexOf(needed);
}
