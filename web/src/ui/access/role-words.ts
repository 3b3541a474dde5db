import type { Role } from "@web-tester/contracts/entities/role";
import type { Label } from "../../texts/text.js";

/** Roles as they are called on screens. */
export const roleWords: Readonly<Record<Role, Label>> = {
  viewer: "Viewer",
  reviewer: "Reviewer",
  operator: "Operator",
  admin: "Admin",
};
