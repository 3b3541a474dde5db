import { api, type EndpointName } from "./api.js";

/** Calls of the public that are written down all the same. */
const signing: ReadonlySet<string> = new Set<EndpointName>(["signIn", "signOut"]);

/** Whether a call changes something, so that it is written to the list of who changed what: see `role` of the endpoint table. */
export function isChange(name: EndpointName): boolean {
  const { method, role } = api[name];
  return signing.has(name) || (method !== "GET" && role !== "viewer" && role !== "public");
}
