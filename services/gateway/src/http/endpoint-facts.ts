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

/** What the `{id}` of a path names, by the path's second part. */
const subjects: Readonly<Record<string, string>> = {
  ...{ testobjects: "test object", testinstances: "instance", testsnapshots: "snapshot", imports: "import" },
  ...{ checks: "check", assets: "asset", lifecycle: "move", runs: "run", rules: "rule", schedules: "schedule" },
  ...{ shares: "share link", tokens: "token", channels: "channel", routes: "route", feeds: "feed" },
  ...{ deliveries: "message", events: "event", removals: "deletion" },
};

/** The same in the words of a message. */
export function subjectOfPath(path: string): string {
  return subjects[/^\/api\/(\w+)\//.exec(path)?.[1] ?? ""] ?? "thing";
}
