import { api, type EndpointName } from "@web-tester/contracts/api";

const creating: ReadonlySet<string> = new Set<EndpointName>(["createTestObject", "createTestSnapshot"]);

/** `/api/testobjects/{id}` → `/api/testobjects/:id`. */
export function nestPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

const known = Object.values(api).map(({ method, path }) => ({
  ...{ method, path },
  // as the router reads it, which takes a slash at the end as well
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`),
}));

/** The methods that calls of a path have, `HEAD` for each `GET`; none where no call has this path. */
export function methodsOf(path: string): string[] {
  const matching = known.filter(({ pattern }) => pattern.test(path));
  // what is written out is no id: `/api/schedules/upcoming` is no schedule
  const named = matching.filter((one) => one.path === path.replace(/\/$/, ""));
  const methods = (named.length > 0 ? named : matching).map(({ method }) => method);
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).toSorted();
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
