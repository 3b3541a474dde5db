import type { EndpointName } from "@web-tester/contracts/api";

const creating: ReadonlySet<string> = new Set<EndpointName>(["createTestObject", "createTestSnapshot"]);

/** `/api/testobjects/{id}` → `/api/testobjects/:id`. */
export function nestPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** 201 where a call makes the thing that it answers with, else 200. */
export function successStatus(name: string): 200 | 201 {
  return creating.has(name) ? 201 : 200;
}

/** What the `{id}` of a path names, in the words of a message. */
export function subjectOfPath(path: string): string {
  if (path.startsWith("/api/testobjects/")) return "test object";
  if (path.startsWith("/api/testinstances/")) return "instance";
  if (path.startsWith("/api/testsnapshots/")) return "snapshot";
  if (path.startsWith("/api/imports/")) return "import";
  if (path.startsWith("/api/checks/")) return "check";
  if (path.startsWith("/api/assets/")) return "asset";
  if (path.startsWith("/api/lifecycle/")) return "move";
  return path.startsWith("/api/runs/") ? "run" : "thing";
}
