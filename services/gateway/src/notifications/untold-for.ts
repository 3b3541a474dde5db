import { type FailedTelling, hiddenCause } from "@web-tester/contracts/entities/notifications";
import { includesRole, type Role } from "@web-tester/contracts/entities/role";

/** Hides the errors of runs that cannot be told from all but administrators: a database's own words may quote what it stores. */
export const untoldFor = (role: Role, runs: readonly FailedTelling[]): FailedTelling[] =>
  includesRole(role, "admin") ? [...runs] : runs.map((run) => ({ ...run, why: hiddenCause }));
