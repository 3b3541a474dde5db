import { api, type EndpointName } from "@web-tester/contracts/api";

const creating: ReadonlySet<string> = new Set<EndpointName>(["createTestObject", "createTestSnapshot"]);

/** Converts a path of the table to Nest's form: `/api/testobjects/{id}` → `/api/testobjects/:id`. */
export function nestPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

const known = Object.values(api).map(({ method, path }) => ({
  ...{ method, path },
  // matches what the router matches, which allows a slash at the end
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`),
}));

/** The HTTP methods that calls with this path have, with `HEAD` for each `GET`; empty where no call has it. */
export function methodsOf(path: string): string[] {
  const matching = known.filter(({ pattern }) => pattern.test(path));
  // a literal path comes before one with an id: `/api/schedules/upcoming` is not a schedule's path
  const named = matching.filter((one) => one.path === path.replace(/\/$/, ""));
  const methods = (named.length > 0 ? named : matching).map(({ method }) => method);
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).toSorted();
}

/** The HTTP status of success: 201 where a call answers with the thing it made, else 200. */
export function successStatus(name: string): 200 | 201 {
  return creating.has(name) ? 201 : 200;
}

/** What the `{id}` of a path identifies, by the path's second segment. */
const subjects: Readonly<Record<string, string>> = {
  ...{ testobjects: "test object", testinstances: "instance", testsnapshots: "snapshot", imports: "import" },
  ...{ checks: "check", assets: "asset", lifecycle: "move", runs: "run", rules: "rule", schedules: "schedule" },
  ...{ shares: "share link", tokens: "token", channels: "channel", routes: "route", feeds: "feed" },
  ...{ deliveries: "message", events: "event", removals: "deletion" },
};

/** The word for what the `{id}` of a path identifies, for messages. */
export function subjectOfPath(path: string): string {
  return subjects[/^\/api\/(\w+)\//.exec(path)?.[1] ?? ""] ?? "thing";
}
