import { api, type EndpointName } from "./api.js";

/** Public calls that are written to the audit list nevertheless. */
const signing: ReadonlySet<string> = new Set<EndpointName>(["signIn", "signOut"]);

/** Whether a call changes something, so that it is written to the audit list: see `role` of the endpoint table. */
export function isChange(name: EndpointName): boolean {
  const { method, role } = api[name];
  return signing.has(name) || (method !== "GET" && role !== "viewer" && role !== "public");
}
