import type { Role } from "@web-tester/contracts/entities/role";
import type { Label } from "../../texts/text.js";

/** The names of roles on screens. */
export const roleWords: Readonly<Record<Role, Label>> = {
  viewer: "Viewer",
  reviewer: "Reviewer",
  operator: "Operator",
  admin: "Admin",
};
