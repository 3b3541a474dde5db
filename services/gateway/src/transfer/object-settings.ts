import { api } from "@web-tester/contracts/api";

/** Its name is no setting to a file, which always has it; its secret goes into none. */
const apart: ReadonlySet<string> = new Set(["name", "auth_password"]);

/**
 * Columns of a test object that a person may set: all that the API can change is in an export, and comes back by an import. A new option
 * need only be there.
 */
export const objectSettings: readonly string[] = Object.keys(api.updateTestObject.body.shape).filter(
  (name) => !apart.has(name),
);
